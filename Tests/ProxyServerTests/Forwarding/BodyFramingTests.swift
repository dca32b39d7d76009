import Support
import Testing

@Suite("Bodies keep their content in any framing")
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

    @Test(
        "A response body arrives complete",
        arguments: [
            ("Content-Length: 5\r\n\r\nhello", "hello"),
            ("Transfer-Encoding: chunked\r\n\r\n2;e=1\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "hello"),
            ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Trailer: t\r\n\r\n", "hello"),
        ])
    func responseBody(_ framed: String, _ content: String) throws {
        try withScene(backend: Scripts.always("HTTP/1.1 200 OK\r\n\(framed)")) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<3 {
                let response = try client.get("\(scene.url)/")
                #expect(response.text == content)
            }
            #expect(scene.backend.connectionCount == 1)
        }
    }

    @Test("A body that ends with the connection is chunked, and the app's connection stays open")
    func untilClose() throws {
        try withScene(backend: Scripts.once("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nall of it")) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<3 {
                let response = try client.get("\(scene.url)/")
                #expect(response.framing == .chunked)
                #expect(response.text == "all of it")
            }
        }
    }

    @Test("A trailer never becomes a field that frames, routes or authenticates")
    func trailers() throws {
        try withScene(backend: Scripts.echo) { scene in
            let client = try scene.client()
            defer { client.close() }
            let trailers = "Authorization: Bearer trailer\r\nHost: evil.example\r\nContent-Length: 99\r\n"
            let response = try client.exchange(
                "POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\(trailers)\r\n"
            )
            guard response.status == 200 else {
                try expectOwnAnswer(response, 400)
                return
            }
            let request = try #require(scene.backend.requests.first)
            #expect(request.fields.all("Host") == [scene.backend.authority])
            #expect(!request.head.contains("trailer"))
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

    @Test("A response before the request's end reaches the app, and later messages are not mixed up")
    func earlyAnswer() throws {
        let script: ScriptedServer.Script = { connection in
            while try connection.head() != nil {
                try connection.send(
                    Scripts.response("too much", status: "413 Content Too Large", fields: "Connection: close\r\n"))
                connection.receiveUntilEnd()
                return
            }
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nbegin")
            let response = try client.response()
            #expect(response.status == 413)
            #expect(response.text == "too much")
            #expect(scene.backend.connectionCount == 1)
        }
    }
}
