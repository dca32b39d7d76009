import Support
import Testing

/// A conversation whose bytes arrive in random pieces at both ends of the proxy.
@Suite("The boundaries of received bytes make no difference")
struct CutTests {
    private static func answer(to request: ReceivedRequest) -> String {
        let body = "\(request.method) \(request.target) \(request.text)"
        switch request.target.dropFirst().first {
        case "c":
            let half = body.utf8.count / 2
            let first = String(body.prefix(half))
            let second = String(body.dropFirst(half))
            return
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(first.utf8.count, radix: 16))\r\n\(first)\r\n"
                + "\(String(second.utf8.count, radix: 16));x=y\r\n\(second)\r\n0\r\nT: t\r\n\r\n"
        case "i": return "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n\(Scripts.response(body))"
        case "n": return "HTTP/1.1 204 No Content\r\n\r\n"
        default: return Scripts.response(body)
        }
    }

    @Test("Pipelined requests in any framing are answered the same", arguments: 0..<24 as Range<UInt64>)
    func conversation(_ seed: UInt64) throws {
        let script: ScriptedServer.Script = { connection in
            var random = SeededGenerator(seed: seed &+ 1000 &+ UInt64(connection.number))
            while let request = try connection.request() {
                for piece in random.cut(Array(Self.answer(to: request).utf8)) { try connection.send(Array(piece)) }
            }
        }
        try withScene(backend: script) { scene in
            var random = SeededGenerator(seed: seed)
            var bytes = ""
            var expected: [(status: Int, text: String)] = []
            for number in 0..<12 {
                let kind = ["l", "c", "i", "n"].randomElement(using: &random) ?? "l"
                let target = "/\(kind)\(number)"
                let body = String(repeating: "b\(number)", count: Int.random(in: 0...600, using: &random))
                let framing = Int.random(in: 0...2, using: &random)
                let head = " \(scene.url)\(target) HTTP/1.1\r\nHost: x\r\n"
                let size = body.utf8.count
                switch framing {
                case 0: bytes += "GET\(head)\r\n"
                case 1: bytes += "PUT\(head)Content-Length: \(size)\r\n\r\n\(body)"
                default:
                    let chunk = size == 0 ? "" : "\(String(size, radix: 16))\r\n\(body)\r\n"
                    bytes += "PUT\(head)Transfer-Encoding: chunked\r\n\r\n\(chunk)0\r\n\r\n"
                }
                if kind == "i" { expected.append((103, "")) }
                let text = "\(framing == 0 ? "GET" : "PUT") \(target) \(framing == 0 ? "" : body)"
                expected.append(kind == "n" ? (204, "") : (200, text))
            }
            let client = try scene.client()
            defer { client.close() }
            let pieces = random.cut(Array(bytes.utf8))
            let socket = client.socket
            let sender = BackgroundThread("sender") { for piece in pieces { try? socket.send(Array(piece)) } }
            for (status, text) in expected {
                let response = try client.response()
                #expect(response.status == status)
                #expect(response.text == text)
            }
            try sender.join()
            #expect(scene.backend.requests.allSatisfy { $0.fields.all("Authorization").count == 1 })
        }
    }

    @Test(
        "A request with random mistakes reaches the backend as one request or not at all, and the proxy continues",
        arguments: 0..<8 as Range<UInt64>)
    func noise(_ seed: UInt64) throws {
        try withScene(Layout(limits: ["headTimeout: 100ms", "bodyTimeout: 100ms"])) { scene in
            var random = SeededGenerator(seed: seed)
            let template = Array(
                "POST \(scene.url)/p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
                    .utf8)
            var sent = 0
            for _ in 0..<20 {
                var bytes = template
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0...2, using: &random) {
                    case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                    case 1: bytes.remove(at: place)
                    default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                    }
                }
                let client = try scene.client()
                sent += 1
                for piece in random.cut(bytes) { try? client.send(Array(piece)) }
                client.endWriting()
                _ = try? client.receiveUntilEnd()
                client.close()
            }
            // Never more requests than were sent, and never one that the proxy did not understand.
            #expect(scene.backend.requests.count <= sent)
            #expect(scene.backend.requests.allSatisfy { $0.fields.all("Host") == [scene.backend.authority] })
            let response = try scene.get()
            #expect(response.status == 200)
        }
    }

    @Test(
        "Random bytes from a backend never become a response that no client asked for",
        arguments: 0..<8 as Range<UInt64>)
    func backendNoise(_ seed: UInt64) throws {
        let script: ScriptedServer.Script = { connection in
            var random = SeededGenerator(seed: seed &* 7919 &+ UInt64(connection.number))
            while try connection.request() != nil {
                var bytes = Array(
                    Self.answer(to: ReceivedRequest(head: Array("GET /c1 HTTP/1.1\r\n\r\n".utf8), connection: 0)).utf8)
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
                for piece in random.cut(bytes) { try connection.send(Array(piece)) }
            }
        }
        let limits = ["responseTimeout: 100ms", "streamIdleTimeout: 100ms"]
        try withScene(Layout(limits: limits), backend: script) { scene in
            for _ in 0..<20 {
                let client = try scene.client()
                defer { client.close() }
                guard var answer = try? client.get("\(scene.url)/c1", fields: "Connection: close\r\n") else { continue }
                while answer.status < 200, let next = try? client.response() { answer = next }
                #expect((try? client.endsNow()) == true, "\(answer) is followed by another")
            }
            #expect(try scene.proxy.admin("/livez").status == 200)
        }
    }
}
