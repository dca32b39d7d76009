import Support
import Testing

/// A backend that answers before it has the whole request, as both ends see it.
@Suite("A final response before the request's end")
struct EarlyAnswerTests {
    private static let next = "GET {url}/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test(
        "It reaches the app and ends both connections, and the rest of the body is never run as a request",
        arguments: ["", "Expect: 100-continue\r\n"],
        ["Content-Length: 1000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n3e8\r\n"])
    func early(_ expectation: String, _ framing: String) throws {
        let script: ScriptedServer.Script = { connection in
            while let head = try connection.head() {
                try connection.send(Scripts.response(head.target, status: head.method == "POST" ? "401 No" : "200 OK"))
                if head.method == "POST" { connection.receiveUntilEnd() }
            }
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\(expectation)\(framing)")
            let response = try client.response()
            #expect(response.status == 401 && response.text == "/", "\(response)")
            #expect(response.fields["Connection"]?.lowercased() == "close")
            // An app that goes on with its body, which looks like a request, is not heard any more.
            try? client.send(Self.next.replacing("{url}", with: scene.url))
            #expect(try client.endsNow())
            try scene.backend.waitUntilAllClosed()
            #expect(try scene.get("/next").text == "/next")
            #expect(scene.backend.heads.map(\.target) == ["/", "/next"])
            #expect(scene.backend.connectionCount == 2)
        }
    }

    @Test("Attaché's own refusal of a request with a body ends the connection, and the body is never run as a request")
    func ownRefusal() throws {
        try withScene { scene in
            for expectation in ["", "Expect: 100-continue\r\n"] {
                let client = try scene.client()
                defer { client.close() }
                try client.send(
                    "POST http://denied.example/ HTTP/1.1\r\nHost: x\r\n\(expectation)Content-Length: 100\r\n\r\n"
                        + Self.next.replacing("{url}", with: scene.url))
                try expectOwnAnswer(client.response(), 403)
                #expect(try client.endsNow())
            }
            #expect(scene.backend.heads.isEmpty)
        }
    }

    @Test(
        "A response that ends while the body is still being sent is complete for the app, in every framing",
        arguments: [
            ("Content-Length: 5\r\n\r\n", "hello"), ("Transfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n"),
            ("\r\n", "hello"),
        ])
    func framings(_ fields: String, _ body: String) throws {
        let script: ScriptedServer.Script = { connection in
            _ = try connection.head()
            try connection.send("HTTP/1.1 200 OK\r\n\(fields)\(body)")
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nsome")
            #expect(try client.response().text == "hello")
            #expect(try client.endsNow())
        }
    }
}
