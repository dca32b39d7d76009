import Glibc
import Support
import Testing

@Suite("The program and signals", .serialized)
struct ExecutableSignalTests {
    @Test("SIGHUP, SIGUSR1 and SIGPIPE do not kill it", arguments: [SIGHUP, SIGUSR1, SIGPIPE])
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

    @Test("SIGUSR1 and SIGHUP open the access log again after it was renamed", arguments: [SIGUSR1, SIGHUP])
    func reopens(_ signal: Int32) throws {
        try withExecutable { running, backend, directory in
            let client = try running.client()
            defer { client.close() }
            let (path, old) = (directory.file("access.log"), directory.file("access.log.1"))
            func line(in file: String) throws -> String {
                try Patience.poll("a line in \(file)") {
                    let text = TemporaryDirectory.read(file)
                    return text.hasSuffix("\n") ? text : nil
                }
            }
            #expect(try client.get("\(backend.url)/before").status == 200)
            #expect(try line(in: path).contains("/before"))
            try #require(rename(path, old) == 0)
            running.process.signal(signal)
            try Patience.poll("it says so") { running.process.errors.contains("access log reopened") ? () : nil }
            #expect(try client.get("\(backend.url)/after").status == 200)
            #expect(try line(in: path).contains("/after"))
            #expect(!TemporaryDirectory.read(old).contains("/after"))
        }
    }

    @Test("A reload changes the level of the log, in both directions")
    func logLevel() throws {
        try withExecutable(Layout(top: ["logFormat: text"])) { running, backend, directory in
            let client = try running.client()
            defer { client.close() }
            let file = directory.file("attache.yaml")
            let plain = TemporaryDirectory.read(file)
            func reload(_ text: String, count: Int) throws {
                _ = try directory.write(text, to: "attache.yaml")
                running.process.signal(SIGHUP)
                try Patience.poll("it is reloaded") {
                    running.process.errors.split(separator: " notice: configuration reloaded").count > count
                        ? () : nil
                }
            }
            #expect(try client.get("\(backend.url)/one").status == 200)
            try reload(plain + "logLevel: debug\n", count: 1)
            #expect(try client.get("\(backend.url)/two").status == 200)
            try Patience.poll("decisions are logged") {
                running.process.errors.contains("/two") ? () : nil
            }
            try reload(plain, count: 2)
            #expect(try client.get("\(backend.url)/three").status == 200)
            let log = running.process.errors
            #expect(log.contains(" debug: request received "))
            #expect(!log.contains("/one") && !log.contains("/three"), "\(log)")
        }
    }

    @Test("A log that cannot be opened again continues in its old file, and a message says so")
    func keepsOldLog() throws {
        try withExecutable { running, backend, directory in
            let client = try running.client()
            defer { client.close() }
            let (path, old) = (directory.file("access.log"), directory.file("access.log.1"))
            try #require(rename(path, old) == 0)
            try #require(mkdir(path, 0o700) == 0)
            running.process.signal(SIGUSR1)
            try Patience.poll("it says so") { running.process.errors.contains("cannot open \(path)") ? () : nil }
            #expect(try client.get("\(backend.url)/after").status == 200)
            try Patience.poll("the line is in the old file") {
                TemporaryDirectory.read(old).contains("/after") ? () : nil
            }
            let code = "access-log-not-reopened"
            try Patience.poll("it is a finding") { try running.admin("/findings").text.contains(code) ? () : nil }
            try #require(rmdir(path) == 0)
            running.process.signal(SIGUSR1)
            try Patience.poll("the finding ends") { try running.admin("/findings").text.contains(code) ? nil : () }
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

    @Test("gracePeriod ends a program whose drain does not end, with exit code 0")
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
        "Requests that have arrived before a stop are served, even on connections not yet accepted",
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
