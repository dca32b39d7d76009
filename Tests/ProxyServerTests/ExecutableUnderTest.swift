import Glibc
import Support

/// The built program, found beside the test bundle.
enum ExecutableUnderTest {
    static let path: String = {
        let own = read(link: "/proc/self/exe")
        // `--test-bundle-path` names the bundle when a helper of the package manager runs it.
        let arguments = CommandLine.arguments
        let bundle = arguments.firstIndex(of: "--test-bundle-path").map { arguments[$0 + 1] }
        for candidate in [own, bundle].compactMap(\.self) {
            var directory = candidate.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            while !directory.isEmpty {
                let path = directory.joined(separator: "/") + "/attache"
                if access(path, X_OK) == 0,
                    directory.contains(".build") || directory.contains(where: { $0.hasSuffix("-gnu") })
                {
                    return path
                }
                directory = directory.dropLast()
            }
        }
        return "attache beside \(own) was not built"
    }()

    private static func read(link: String) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        return String(decoding: buffer[..<max(count, 0)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A proxy that runs as a program of its own, from a configuration file.
///
/// Whoever starts one ends it with `kill`.
struct RunningExecutable: Sendable {
    let process: ChildProcess
    let port: UInt16
    let adminPort: UInt16

    /// Starts the program on free ports and waits until it answers; `descriptors` is the most it may have open,
    /// `redirections` are the shell's.
    init(
        _ layout: Layout, backend: ScriptedServer, tokens: FakeTokenEndpoint, in directory: TemporaryDirectory,
        descriptors: Int?, redirections: String
    ) throws {
        let listeners = [try ListeningSocket(), try ListeningSocket()]
        for listener in listeners { listener.close() }
        let port = listeners[0].port
        let adminPort = listeners[1].port
        self.port = port
        self.adminPort = adminPort
        let yaml = layout.yaml(backendPort: backend.port, tokenURL: tokens.url, directory: directory.path)
            .replacing("listeners: [{ address: 127.0.0.1:0 }]", with: "listeners: [{ address: 127.0.0.1:\(port) }]")
            .replacing("admin: { address: 127.0.0.1:0 }", with: "admin: { address: 127.0.0.1:\(adminPort) }")
        let file = try directory.write(yaml, to: "attache.yaml")
        let limit = descriptors.map { "ulimit -n \($0); " } ?? ""
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", "\(limit)exec \"$0\" run --config \"$1\" \(redirections)", ExecutableUnderTest.path, file],
            in: directory)
        self.process = process
        do {
            try Patience.poll("the program is ready") { () -> Void? in
                guard process.isRunning else { throw PatienceExhausted("the program ended: \(process.errors)") }
                return (try? Self.admin(adminPort, "/readyz"))?.status == 200 ? () : nil
            }
        } catch {
            process.kill()
            throw error
        }
    }

    func client(receiveBuffer: Int32? = nil) throws -> RawClient {
        try RawClient(port: port, receiveBuffer: receiveBuffer)
    }

    func admin(_ path: String) throws -> ReceivedResponse {
        try Self.admin(adminPort, path)
    }

    private static func admin(_ port: UInt16, _ path: String) throws -> ReceivedResponse {
        let client = try RawClient(port: port)
        defer { client.close() }
        return try client.exchange("GET \(path) HTTP/1.1\r\nHost: admin\r\nConnection: close\r\n\r\n")
    }
}

/// Runs a test's body with the program between its token endpoint and one backend.
func withExecutable(
    _ layout: Layout = Layout(), descriptors: Int? = nil, redirections: String = "",
    backend script: @escaping ScriptedServer.Script = Scripts.ok,
    _ body: (RunningExecutable, ScriptedServer, TemporaryDirectory) throws -> Void
) throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let tokens = try FakeTokenEndpoint()
    defer { tokens.stop() }
    let backend = try ScriptedServer(script)
    defer { backend.stop() }
    let running = try RunningExecutable(
        layout, backend: backend, tokens: tokens, in: directory, descriptors: descriptors,
        redirections: redirections)
    defer { running.process.kill() }
    try body(running, backend, directory)
}
