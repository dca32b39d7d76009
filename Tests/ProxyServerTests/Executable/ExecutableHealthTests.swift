import Support
import Testing

@Suite("attache health")
struct ExecutableHealthTests {
    @Test("It exits with 0 if the proxy is alive, also with a variable, and if it is ready", arguments: [true, false])
    func alive(ready: Bool) throws {
        try withScene { scene in
            _ = try scene.get()
            let address = "127.0.0.1:\(scene.proxy.adminPort)"
            let more = ready ? ["--ready"] : []
            try expectHealth(0, ["--admin", address] + more)
            try expectHealth(0, more, environment: ["ATTACHE_ADMIN": address])
        }
    }

    @Test("It exits with 1 if no proxy answers, and says which address it asked")
    func nobody() throws {
        let port = try ClosedPort()
        defer { port.release() }
        try expectHealth(1, ["--admin", "127.0.0.1:\(port.number)"], mentions: ["127.0.0.1:\(port.number)"])
    }

    @Test("It reads only the address in a configuration file: an unreadable secret does not matter")
    func configurationFile() throws {
        try withScene { scene in
            let path = scene.directory.file("attache.yaml")
            let yaml =
                "admin: { address: 127.0.0.1:\(scene.proxy.adminPort) }\n"
                + "credentials: { main: { type: file, path: /nowhere/token } }\nunknown: key\n"
            try scene.directory.write(yaml, to: "attache.yaml")
            try expectHealth(0, ["--config", path])
            try scene.directory.write("routes: []\n", to: "attache.yaml")
            try expectHealth(2, ["--config", path], mentions: ["--admin"])
            try scene.directory.write("admin: { address: nonsense }\n", to: "attache.yaml")
            try expectHealth(2, ["--config", path], mentions: ["attache.yaml", "admin.address"])
        }
    }

    @Test("It asks an admin listener on a Unix socket")
    func unixSocket() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let path = directory.file("admin.sock")
        try expectHealth(1, ["--admin", "unix:\(path)"], mentions: ["cannot connect to unix:\(path)"])
        let yaml = "listeners: [{ address: \"127.0.0.1:0\" }]\nadmin: { address: \"unix:\(path)\" }\nunmatched: forward"
        let proxy = try ProxyUnderTest(yaml: yaml)
        defer { proxy.stop() }
        try expectHealth(0, ["--admin", "unix:\(path)", "--ready"])
    }

    @Test("It exits with 2 without a valid address to ask")
    func noAddress() throws {
        try expectHealth(2, [], mentions: ["--admin"])
        try expectHealth(2, ["--admin", "nonsense"], mentions: ["--admin"])
    }

    @Test("Alive is not ready: with a token server that is down, --ready exits with 1 and names the credential")
    func notReady() throws {
        try withScene(then: .closed) { scene in
            let address = "127.0.0.1:\(scene.proxy.adminPort)"
            try expectHealth(0, ["--admin", address])
            try expectHealth(1, ["--admin", address, "--ready"], mentions: ["credential main: not ready"])
        }
    }

    private func expectHealth(
        _ code: Int32, _ arguments: [String], environment: [String: String] = [:], mentions words: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let process = try ChildProcess(
            ExecutableUnderTest.path, ["health"] + arguments, environment: environment, in: directory)
        defer { process.kill() }
        let end = try process.waitForEnd()
        #expect(end == .exited(code), "\(process.errors)", sourceLocation: sourceLocation)
        for word in words {
            #expect(
                process.errors.contains(word), "no \(word) in \(process.errors)", sourceLocation: sourceLocation)
        }
    }
}
