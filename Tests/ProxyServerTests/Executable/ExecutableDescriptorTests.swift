import Glibc
import Support
import Testing

@Suite("The program short of descriptors", .serialized)
struct ExecutableDescriptorTests {
    @Test("A flood of apps takes no descriptor that backends and token servers need, and all are served in the end")
    func flood() throws {
        let gate = Gate("as many requests as fit are there")
        let script: ScriptedServer.Script = { connection in
            while try connection.request() != nil {
                try gate.wait()
                try connection.send(Scripts.response("ok"))
            }
        }
        let patient = Layout(limits: ["responseTimeout: 10m"])
        try withExecutable(patient, limits: ["-n 64"], tokens: .token(expiresIn: "2"), backend: script) {
            running, backend, _ in
            let begin = ContinuousClock.now
            let flood = try (0..<120).map { _ in try running.client() }
            for client in flood { try client.send("GET \(backend.url)/ HTTP/1.1\r\nHost: x\r\n\r\n") }
            // Whoever was taken has a connection to the backend, and the others wait: nobody is refused.
            try Patience.poll("descriptors are short") {
                try running.metric("attache_accept_pauses_total") > 3 ? () : nil
            }
            let served = Int(try running.metric("attache_connections{side=\"downstream\"}"))
            #expect(served > 10 && served < 32, "\(served)")
            try backend.wait("all that were taken are at the backend") { $0.requests.count >= served }
            #expect(try running.metric("process_open_fds") < running.metric("process_max_fds"))
            #expect(try running.metric("process_max_fds") == 64)
            // Tokens go on being fetched.
            let fetches = "attache_token_fetches_total{credential=\"main\",result="
            let before = try running.metric("\(fetches)\"success\"}")
            try Patience.poll("tokens are fetched") {
                try running.metric("\(fetches)\"success\"}") >= before + 2 ? () : nil
            }
            #expect(try running.metric("\(fetches)\"failure\"}") == 0)
            // Each pause takes its time: nothing spins.
            let pauses = try running.metric("attache_accept_pauses_total")
            #expect(pauses <= (ContinuousClock.now - begin) / .milliseconds(100) + 2)
            gate.open()
            for client in flood {
                #expect(try client.response().status == 200)
                client.close()
            }
            #expect(running.process.isRunning)
        }
    }

    @Test("Idle connections to one backend are closed for those that another needs")
    func idleGiveWay() throws {
        let gates = [Gate("as many as fit ask the first"), Gate("as many as fit ask the second")]
        func script(_ gate: Gate) -> ScriptedServer.Script {
            { connection in
                while try connection.request() != nil {
                    try gate.wait()
                    try connection.send(Scripts.response("ok", fields: "Keep-Alive: timeout=99999\r\n"))
                }
            }
        }
        let other = try ScriptedServer(script(gates[1]))
        defer { other.stop() }
        let layout = Layout(routesBefore: [
            "{ match: { host: 127.0.0.1, port: \(other.port) }, upstream: \"\(other.url)\", credential: none }"
        ])
        // 24 apps, 24 idle connections and 24 in use would be more than there are with the program's own.
        try withExecutable(layout, limits: ["-n 80"], backend: script(gates[0])) { running, backend, _ in
            let clients = try (0..<24).map { _ in try running.client() }
            for (server, gate) in zip([backend, other], gates) {
                for client in clients { try client.send("GET \(server.url)/ HTTP/1.1\r\nHost: x\r\n\r\n") }
                try server.wait("all are at the backend") { $0.requests.count == clients.count }
                gate.open()
                for client in clients { #expect(try client.response().status == 200) }
                let kept = try running.metric("attache_connections{side=\"upstream\"}")
                #expect(kept <= 80 / 4, "\(kept) are idle")
            }
            for client in clients { client.close() }
        }
    }

    @Test("Without a descriptor for the backend the app gets an error, and is served when one is free again")
    func noneForBackend() throws {
        let script = ScriptedServer.answering { _ in Scripts.response("ok", fields: "Connection: close\r\n") }
        try withExecutable(backend: script) { running, backend, _ in
            let client = try running.client()
            defer { client.close() }
            #expect(try client.get("\(backend.url)/").status == 200)
            // The connection to the backend has given its descriptor back.
            try backend.waitUntilAllClosed()
            try limit(running, to: 3)
            let refused = try client.get("\(backend.url)/")
            try expectOwnAnswer(refused, 503, mentions: ["Too many open files", "ulimit -n"])
            #expect(refused.fields["Retry-After"] == "1")
            try limit(running, to: 1000)
            #expect(try client.get("\(backend.url)/").status == 200)
        }
    }

    @Test("Without a descriptor for the token server the error says so, and requests recover without help")
    func noneForTokens() throws {
        try withExecutable(tokens: .token(expiresIn: "2")) { running, backend, _ in
            let client = try running.client()
            defer { client.close() }
            #expect(try client.get("\(backend.url)/").status == 200)
            try limit(running, to: 3)
            let refused = try Patience.poll("the token ends") { () -> ReceivedResponse? in
                let response = try client.get("\(backend.url)/")
                return response.status == 200 ? nil : response
            }
            try expectOwnAnswer(refused, 503, mentions: ["could not be asked", "Too many open files"])
            try limit(running, to: 1000)
            try Patience.poll("it is served again") { try client.get("\(backend.url)/").status == 200 ? () : nil }
        }
    }

    @Test("The start and check report a limit too low for limits.connections")
    func warning() throws {
        let words = "limits.connections is 10000, which needs 20000 descriptors, but the limit of open files is 64"
        try withExecutable(limits: ["-n 64"]) { running, _, directory in
            #expect(running.process.errors.contains(words))
            let check = try ChildProcess(
                "/bin/sh",
                [
                    "-c", "ulimit -n 64; exec \"$0\" check \"$1\"", ExecutableUnderTest.path,
                    directory.file("attache.yaml"),
                ],
                in: directory)
            #expect(try check.waitForEnd() == .exited(0))
            #expect(check.errors.contains("warning: \(words)"))
        }
        try withExecutable(Layout(limits: ["connections: 30"]), limits: ["-n 64"]) { running, _, _ in
            #expect(!running.process.errors.contains("limit of open files"))
        }
    }

    @Test(
        "A limit too low to start ends the program with a sentence",
        arguments: [(6, 1), (8, 1), (10, 1), (20, 1), (20, 4), (30, 4)])
    func tooLowToStart(limit: Int, workers: Int) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let file = try directory.write(
            "listeners: [{ address: 127.0.0.1:0 }]\nworkers: \(workers)\nunmatched: forward\n", to: "attache.yaml")
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", "ulimit -n \(limit); exec \"$0\" run --config \"$1\"", ExecutableUnderTest.path, file], in: directory
        )
        defer { process.kill() }
        #expect(try process.waitForEnd() == .exited(2))
        #expect(process.errors.hasPrefix("attache: the limit of open files is \(limit), and attache needs at least "))
        #expect(process.errors.hasSuffix("raise it (ulimit -n, LimitNOFILE)\n"), "\(process.errors)")
    }

    @Test("A soft limit below the hard limit is raised")
    func raised() throws {
        try withExecutable(limits: ["-S -n 64"]) { running, _, _ in
            let limit = try running.metric("process_max_fds")
            #expect(limit > 64)
        }
    }

    /// Sets how many descriptors the running program may have from now on.
    private func limit(_ running: RunningExecutable, to count: Int) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let tool = try ChildProcess(
            "/usr/bin/prlimit", ["--pid", "\(running.process.identifier)", "--nofile=\(count):"], in: directory)
        try #require(try tool.waitForEnd() == .exited(0), "\(tool.errors)")
    }

    @Test("A reload refuses a configuration for which a start would have too few descriptors")
    func reload() throws {
        try withExecutable(limits: ["-n 64"]) { running, _, directory in
            let file = directory.file("attache.yaml")
            let plain = TemporaryDirectory.read(file)
            let listeners = String(repeating: "  - { address: 127.0.0.1:0 }\n", count: 42)
            // So many can be opened, but with the reserve they are too many.
            _ = try directory.write(
                plain.replacing("listeners:\n", with: "listeners:\n\(listeners)"), to: "attache.yaml")
            running.process.signal(SIGHUP)
            try Patience.poll("it is refused") {
                running.process.errors.contains("the limit of open files is 64, and attache needs at least") ? () : nil
            }
            _ = try directory.write(plain, to: "attache.yaml")
            running.process.signal(SIGHUP)
            try Patience.poll("the old file is fine") {
                running.process.errors.contains("\"configuration reloaded\"") ? () : nil
            }
        }
    }
}
