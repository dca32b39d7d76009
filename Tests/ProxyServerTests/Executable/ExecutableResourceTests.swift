import Glibc
import Support
import Testing

@Suite("The program releases its resources", .serialized)
struct ExecutableResourceTests {
    @Test("As many descriptors are open after a storm of good and bad exchanges as before")
    func descriptors() throws {
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.request() {
                switch request.target {
                case "/cut": try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
                case "/bad": try connection.send("rubbish\r\n\r\n")
                case "/reset": connection.reset()
                default:
                    try connection.send(Scripts.response("ok"))
                    continue
                }
                return
            }
        }
        try withExecutable(Layout(limits: ["idleTimeout: 200ms", "headTimeout: 200ms"]), backend: script) {
            running, backend, _ in
            func round() throws {
                for path in ["/fine", "/cut", "/bad", "/reset", "/fine"] {
                    let client = try running.client()
                    _ = try? client.get(backend.url + path)
                    client.close()
                }
                let denied = try running.client()
                _ = try? denied.get("http://denied.example/")
                denied.reset()
                let half = try running.client()
                try half.send("GET \(backend.url)/")
                half.reset()
                let malformed = try running.client()
                _ = try? malformed.exchange("rubbish\r\n\r\n")
                malformed.close()
            }
            let before = running.process.descriptors
            for _ in 0..<20 { try round() }
            // Ends the idle connections that are kept to it.
            backend.stop()
            try expectReturn(of: running, to: before)
        }
    }

    @Test("A body of 256 MiB in each direction does not raise the memory")
    func memory() throws {
        let size = 256 << 20
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.head() {
                var left = request.method == "POST" ? size : 0
                while left > 0 {
                    let received = try connection.receiveSome(atMost: left)
                    guard !received.isEmpty else { return }
                    left -= received.count
                }
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                for _ in 0..<size >> 20 { try connection.send(piece) }
            }
        }
        try withExecutable(backend: script) { running, backend, _ in
            let client = try running.client()
            defer { client.close() }
            func receiveBody() throws {
                #expect(try client.responseHead().status == 200)
                var left = size
                while left > 0 {
                    let received = try client.receiveSome(atMost: left)
                    guard !received.isEmpty else { break }
                    left -= received.count
                }
                #expect(left == 0)
            }
            let before = try #require(running.process.status("VmRSS"))
            try client.send("POST \(backend.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n")
            for _ in 0..<size >> 20 { try client.send(piece) }
            try receiveBody()
            let after = try #require(running.process.status("VmHWM"))
            #expect(after - before < 32 << 10, "grew from \(before) to \(after) KiB")
        }
    }

    @Test("An admin client that keeps asking and reads nothing gets little, and others are answered")
    func adminFlood() throws {
        try withExecutable { running, _, _ in
            let before = try #require(running.process.status("VmRSS"))
            let flood = try RawClient(port: running.adminPort, receiveBuffer: 4096)
            defer { flood.close() }
            let bytes = Array(String(repeating: "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", count: 1_000_000).utf8)
            var sent = 0
            do {
                while sent < bytes.count {
                    let taken = try flood.socket.sendSome(bytes[sent...])
                    sent += taken
                    if taken == 0, !flood.socket.canSend(within: .milliseconds(300)) { break }
                }
            } catch SocketError.reset {}
            #expect(sent < bytes.count)
            for path in ["/livez", "/readyz", "/metrics"] { #expect(try running.admin(path).status == 200) }
            let after = try #require(running.process.status("VmHWM"))
            #expect(after - before < 32 << 10, "grew from \(before) to \(after) KiB")
            #expect(running.process.isRunning)
        }
    }

    @Test("Many simultaneous connections are served and released")
    func manyConnections() throws {
        try withExecutable(Layout(top: ["workers: 2"])) { running, backend, _ in
            let before = running.process.descriptors
            let clients = try (0..<200).map { _ in try running.client() }
            for client in clients { try client.send("GET \(backend.url)/ HTTP/1.1\r\nHost: x\r\n\r\n") }
            for client in clients { #expect(try client.response().status == 200) }
            for client in clients { client.close() }
            backend.stop()
            try expectReturn(of: running, to: before)
        }
    }

    @Test("Without free descriptors it keeps the connections that it serves, and serves the others later")
    func descriptorExhaustion() throws {
        try withExecutable(limits: ["-n 40"]) { running, backend, _ in
            let kept = try running.client()
            defer { kept.close() }
            #expect(try kept.get("\(backend.url)/").status == 200)
            // The kernel accepts them all; the program cannot.
            let flood = try (0..<80).map { _ in try running.client() }
            #expect(try kept.get("\(backend.url)/").status == 200)
            for client in flood { client.close() }
            let next = try running.client()
            defer { next.close() }
            #expect(try next.get("\(backend.url)/").status == 200)
            #expect(running.process.isRunning)
        }
    }

    @Test("The first thread of an idle program does not wake, even with an idle connection")
    func idle() throws {
        try withExecutable { running, backend, _ in
            let client = try running.client()
            defer { client.close() }
            #expect(try client.get("\(backend.url)/").status == 200)
            // What the start and the request have left to do ends soon.
            try Patience.poll("three seconds without a wake-up") {
                let before = try #require(running.process.status("voluntary_ctxt_switches"))
                // That nothing happens can only be seen over some time.
                usleep(3_000_000)
                return running.process.status("voluntary_ctxt_switches") == before ? () : nil
            }
        }
    }

    /// Waits until the program has nothing open that it had not.
    private func expectReturn(of running: RunningExecutable, to before: [String]) throws {
        func new() -> [String] {
            let new = Set(running.process.descriptors).subtracting(before).sorted()
            let watches = new.filter { $0.hasSuffix("anon_inode:inotify") }
            // It begins to watch its configuration file some time after the start.
            return new.filter { !watches.contains($0) } + watches.dropFirst()
        }
        do {
            try Patience.poll("descriptors are given back") { new().isEmpty ? () : nil }
        } catch is PatienceExhausted {
            // The kernel's table says between which ports, and in which state (the fourth column), a socket is.
            let inodes = new().compactMap { $0.split(separator: "[").last?.dropLast() }
            let table = TemporaryDirectory.read("/proc/\(running.process.identifier)/net/tcp").split(separator: "\n")
            let sockets = table.filter { line in inodes.contains { line.contains(" \($0) ") } }
            Issue.record("still open beside what was at the beginning: \(new()): \(sockets)")
        }
    }
}
