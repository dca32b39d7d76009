import Glibc
import Support
import Testing

@Suite("The program and signals", .serialized)
struct ExecutableSignalTests {
    @Test("SIGHUP and SIGPIPE do not kill it", arguments: [SIGHUP, SIGPIPE])
    func survives(_ signal: Int32) throws {
        try withExecutable { running, backend, _ in
            let client = try running.client()
            defer { client.close() }
            #expect(try client.get("\(backend.url)/before").status == 200)
            for _ in 0..<3 { running.process.signal(signal) }
            #expect(try client.get("\(backend.url)/after").status == 200)
            #expect(running.process.isRunning)
            running.process.signal(SIGTERM)
            #expect(try running.process.waitForEnd() == .exited(0))
        }
    }

    @Test("SIGTERM and SIGINT let a running exchange finish and exit with 0", arguments: [SIGTERM, SIGINT])
    func drains(_ signal: Int32) throws {
        let gate = Gate()
        let script: ScriptedServer.Script = { connection in
            while try connection.request() != nil {
                try gate.wait()
                try connection.send(Scripts.response("late"))
            }
        }
        try withExecutable(Layout(gracePeriod: "30s"), backend: script) { running, backend, directory in
            let client = try running.client()
            defer { client.close() }
            try client.send("GET \(backend.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try backend.wait("the request") { $0.requests.count == 1 }
            running.process.signal(signal)
            try Patience.poll("new connections are refused") { () -> Void? in
                (try? running.client()) == nil ? () : nil
            }
            #expect(running.process.isRunning)
            gate.open()
            #expect(try client.response().text == "late")
            #expect(try running.process.waitForEnd() == .exited(0))
            // What the log still held was written before the end.
            #expect(TemporaryDirectory.read(directory.file("access.log")).split(separator: "\n").count == 1)
            #expect(!running.process.errors.contains("canary"))
        }
    }

    @Test("A program that drains for ever is ended by gracePeriod, with 0")
    func grace() throws {
        try withExecutable(Layout(gracePeriod: "200ms"), backend: Scripts.silent) { running, backend, _ in
            let client = try running.client()
            defer { client.close() }
            try client.send("GET \(backend.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try backend.wait("the request") { $0.requests.count == 1 }
            running.process.signal(SIGTERM)
            #expect(try running.process.waitForEnd() == .exited(0))
        }
    }

    @Test(
        "Requests that have come when it is told to end are served, also on connections that it has not taken yet",
        arguments: [1, 2])
    func waiting(workers: Int) throws {
        try withExecutable(Layout(top: ["workers: \(workers)"], gracePeriod: "30s")) { running, backend, _ in
            let kept = try (0..<4).map { _ in try running.client() }
            for client in kept { #expect(try client.get("\(backend.url)/before").status == 200) }
            running.process.signal(SIGSTOP)
            // More than are accepted in one turn.
            let clients = try kept + (0..<150).map { _ in try running.client() }
            for client in clients {
                try client.send("POST \(backend.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nz")
            }
            running.process.signal(SIGTERM)
            running.process.signal(SIGCONT)
            for client in clients {
                #expect(try client.response().status == 200)
                #expect(try client.endsNow())
                client.close()
            }
            #expect(try running.process.waitForEnd() == .exited(0))
        }
    }
}
