import Support
import Testing

@Suite("Request bodies in any framing, and bodies that arrive in pieces")
struct BodyFramingTests {
    @Test(
        "A request body arrives complete",
        arguments: [
            ("Content-Length: 0\r\n\r\n", ""), ("Content-Length: 5\r\n\r\nhello", "hello"),
            ("Content-Length: 005\r\n\r\nhello", "hello"),
            ("Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", ""),
            ("Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "hello"),
            ("Transfer-Encoding: chunked\r\n\r\n0005\r\nhello\r\n000\r\n\r\n", "hello"),
            (
                "Transfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\na;q=\"x y\"\r\n0123456789\r\n0\r\n\r\n",
                "01234567890123456789"
            ),
            ("Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Trailer: t\r\n\r\n", "hi"),
        ])
    func requestBody(_ framed: String, _ content: String) throws {
        try withScene(backend: Scripts.echo) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<2 {
                let response = try client.exchange("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\(framed)")
                #expect(response.status == 200)
                #expect(response.text == content)
            }
            let request = try #require(scene.backend.requests.first)
            #expect(request.fields.all("Transfer-Encoding").count + request.fields.all("Content-Length").count == 1)
        }
    }

    @Test("A trailer never becomes a field that routes or authenticates, and one that frames is refused")
    func trailers() throws {
        try withScene(backend: Scripts.echo) { scene in
            func post(_ trailers: String) throws -> ReceivedResponse {
                let client = try scene.client()
                defer { client.close() }
                return try client.exchange(
                    "POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\(trailers)\r\n"
                )
            }
            #expect(try post("Authorization: Bearer trailer\r\nHost: evil.example\r\n").text == "hi")
            let request = try #require(scene.backend.requests.first)
            #expect(request.fields.all("Host") == [scene.backend.authority])
            #expect(!request.head.contains("trailer"))
            try expectOwnAnswer(post("Content-Length: 99\r\n"), 400)
            #expect(scene.backend.requests.count == 1)
        }
    }

    @Test("A response in pieces is passed on piece by piece, before it is complete")
    func pieces() throws {
        let gates = (0..<4).map { Gate("piece \($0) was seen") }
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for (number, gate) in gates.enumerated() {
                try connection.send("6\r\npiece\(number)\r\n")
                try gate.wait()
            }
            try connection.send("0\r\n\r\n")
            connection.receiveUntilEnd()
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            let head = try client.responseHead()
            #expect(head.status == 200)
            for (number, gate) in gates.enumerated() {
                let bytes = try client.receive { String(decoding: $0, as: UTF8.self).contains("piece\(number)") }
                #expect(!bytes.isEmpty)
                gate.open()
            }
            let end = try client.receive { $0.suffix(5) == [48, 13, 10, 13, 10] }
            #expect(!end.isEmpty)
        }
    }

    @Test("A request body in pieces is passed on piece by piece, before it is complete")
    func requestPieces() throws {
        let seen = (0..<3).map { Gate("piece \($0) reached the backend") }
        let script: ScriptedServer.Script = { connection in
            _ = try connection.head()
            for gate in seen {
                _ = try connection.receive(exactly: 5)
                gate.open()
            }
            try connection.send(Scripts.response("ok"))
            connection.receiveUntilEnd()
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\n\r\n")
            for gate in seen {
                try client.send("12345")
                try gate.wait()
            }
            #expect(try client.response().text == "ok")
        }
    }
}
