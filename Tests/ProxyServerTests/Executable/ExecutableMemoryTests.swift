import EventTransport
import Locking
import Support
import Testing

/// Bodies that have to wait stay with whoever sends them, however many there are.
@Suite("The program's memory with 200 slow readers", .serialized)
struct ExecutableMemoryTests {
    private static let count = 200
    /// In KiB.
    private static let limit = 64 << 10

    @Test(
        "Bodies to backends that do not read take little memory, which is freed; all arrive, and other requests are served"
    )
    func bodies() throws {
        let size = 2 << 20
        let gate = Gate("the backend begins to read")
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.head() {
                if request.method == "POST" {
                    try gate.wait()
                    var left = size
                    while left > 0, case let bytes = try connection.receiveSome(atMost: left), !bytes.isEmpty {
                        left -= bytes.count
                    }
                }
                try connection.send(Scripts.response(request.target))
            }
        }
        try withExecutable(backend: script) { running, backend, _ in
            let before = try #require(running.process.status("VmRSS"))
            let clients = try (0..<Self.count).map { _ in try running.client() }
            defer {
                gate.open()
                for client in clients { client.close() }
            }
            let message =
                Array(
                    "POST \(backend.url)/body HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n".utf8)
                + [UInt8](repeating: 0x61, count: size)
            var sent = [Int](repeating: 0, count: clients.count)
            // Until nobody can send for as long as this.
            var quietSince = ContinuousClock.now
            while ContinuousClock.now < quietSince + .milliseconds(500) {
                for (index, client) in clients.enumerated() where sent[index] < message.count {
                    let count = try client.socket.sendSome(message[sent[index]...])
                    sent[index] += count
                    if count > 0 { quietSince = .now }
                }
                #expect(try running.client().get("\(backend.url)/other").text == "/other")
            }
            let peak = try #require(running.process.status("VmHWM"))
            #expect(peak - before < Self.limit, "grew from \(before) to \(peak) KiB")
            gate.open()
            for (index, client) in clients.enumerated() {
                try client.send(Array(message[sent[index]...]))
                #expect(try client.response().text == "/body")
                client.close()
            }
            try expectReturn(of: running, to: before)
        }
    }

    @Test(
        "Responses to apps that do not read take little memory, which is freed; all arrive, and other requests are served"
    )
    func answers() throws {
        let size = 2 << 20
        let body = [UInt8](repeating: 0x61, count: size)
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.request() {
                if request.target == "/other" {
                    try connection.send(Scripts.response("/other"))
                } else {
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                    try connection.send(body)
                }
            }
        }
        try withExecutable(backend: script) { running, backend, _ in
            let before = try #require(running.process.status("VmRSS"))
            let clients = try (0..<Self.count).map { _ in try running.client(receiveBuffer: 65536) }
            defer { for client in clients { client.close() } }
            for client in clients { try client.send("GET \(backend.url)/body HTTP/1.1\r\nHost: x\r\n\r\n") }
            for client in clients { #expect(try client.responseHead().status == 200) }
            for _ in 0..<20 { #expect(try running.client().get("\(backend.url)/other").text == "/other") }
            let peak = try #require(running.process.status("VmHWM"))
            #expect(peak - before < Self.limit, "grew from \(before) to \(peak) KiB")
            for client in clients {
                var left = size
                while left > 0, case let bytes = try client.receiveSome(atMost: left), !bytes.isEmpty {
                    left -= bytes.count
                }
                #expect(left == 0)
                client.close()
            }
            try expectReturn(of: running, to: before)
        }
    }

    @Test("Interim responses to an app that does not read stay with the backend, and all arrive")
    func interimAnswers() throws {
        let piece = Array(
            String(
                repeating: "HTTP/1.1 103 Early Hints\r\nLink: <\(String(repeating: "x", count: 8000))>\r\n\r\n",
                count: 8
            )
            .utf8)
        let (pieces, sent) = (2 * Self.limit << 10 / piece.count, Locked(0))
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.request() {
                if request.target == "/flood" {
                    for _ in 0..<pieces {
                        try connection.send(piece)
                        sent.withLock { $0 += 1 }
                    }
                }
                try connection.send(Scripts.response(request.target))
            }
        }
        try withExecutable(backend: script) { running, backend, _ in
            let before = try #require(running.process.status("VmRSS"))
            let client = try running.client(receiveBuffer: 65536)
            defer { client.close() }
            try client.send("GET \(backend.url)/flood HTTP/1.1\r\nHost: x\r\n\r\n")
            // Until it could send nothing for as long as this.
            var (last, quietSince) = (0, ContinuousClock.now)
            while ContinuousClock.now < quietSince + .milliseconds(500) {
                #expect(try running.client().get("\(backend.url)/other").text == "/other")
                let now = sent.withLock { $0 }
                if now != last { (last, quietSince) = (now, .now) }
            }
            let peak = try #require(running.process.status("VmHWM"))
            #expect(peak - before < Self.limit, "grew from \(before) to \(peak) KiB")
            _ = try client.receive { $0.suffix(6).elementsEqual("/flood".utf8) }
            try expectReturn(of: running, to: before)
        }
    }

    private func expectReturn(of running: RunningExecutable, to before: Int) throws {
        var now = 0
        do {
            try Patience.poll("memory comes back") { () -> Void? in
                now = try #require(running.process.status("VmRSS"))
                return now - before < Self.limit / 2 ? () : nil
            }
        } catch is PatienceExhausted {
            Issue.record("\(now) KiB after \(before)")
        }
    }
}
