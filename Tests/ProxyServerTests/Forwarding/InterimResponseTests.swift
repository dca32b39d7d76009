import Support
import Testing

@Suite("Interim responses and Expect")
struct InterimResponseTests {
    @Test("1xx responses are passed on before the final one")
    func passed() throws {
        let bytes =
            "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
            + Scripts.response("done")
        try withScene(backend: Scripts.always(bytes)) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<2 {
                let hints = try client.get("\(scene.url)/")
                #expect(hints.status == 103)
                #expect(hints.fields["Link"] == "</a.css>")
                #expect(try client.response().status == 102)
                #expect(try client.response().text == "done")
            }
            #expect(scene.backend.connectionCount == 1)
        }
    }

    @Test("The body is sent after the backend's 100 Continue, which the app sees")
    func continues() throws {
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.head() {
                try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
                let body = try connection.body(of: request)
                try connection.send(Scripts.response(String(decoding: body, as: UTF8.self)))
            }
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<2 {
                try client.send(
                    "PUT \(scene.url)/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
                #expect(try client.response().status == 100)
                try client.send("hello")
                let response = try client.response()
                #expect(response.status == 200)
                #expect(response.text == "hello")
            }
            #expect(scene.backend.heads.first?.fields["Expect"]?.lowercased() == "100-continue")
        }
    }

    @Test("A final refusal instead of 100 Continue is passed on, and the body is never taken for a request")
    func refused() throws {
        let script: ScriptedServer.Script = { connection in
            while try connection.head() != nil {
                try connection.send(Scripts.response("no", status: "417 Expectation Failed"))
            }
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            let smuggled = "GET \(scene.url)/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
            try client.send(
                "PUT \(scene.url)/first HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: \(smuggled.utf8.count)\r\n\r\n"
            )
            let response = try client.response()
            #expect(response.status == 417)
            // The app may send the body after all; it is a body, whatever its bytes say.
            try? client.send(smuggled)
            #expect(try client.endsNow())
            #expect(!scene.backend.heads.contains { $0.target == "/smuggled" })
        }
    }

    @Test("An app that does not wait for 100 Continue is served too")
    func impatient() throws {
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.request() { try connection.send(Scripts.response(request.text)) }
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send(
                "PUT \(scene.url)/ HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello")
            var response = try client.response()
            if response.status == 100 { response = try client.response() }
            #expect(response.text == "hello")
        }
    }

    @Test("An expectation other than 100-continue is sent to the backend, whose refusal is passed on")
    func other() throws {
        let script = ScriptedServer.answering { request in
            let isMet = request.fields["Expect"] == nil
            return Scripts.response("", status: isMet ? "200 OK" : "417 Expectation Failed")
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange(
                "PUT \(scene.url)/ HTTP/1.1\r\nHost: x\r\nExpect: 200-maybe\r\nContent-Length: 5\r\n\r\nhello")
            #expect(response.status == 417)
            #expect(response.fields["Proxy-Status"] == nil)
            #expect(scene.backend.requests.map { $0.fields["Expect"] } == ["200-maybe"])
        }
    }

    @Test("A protocol switch that no client asked for is an error of the backend")
    func unasked101() throws {
        try withScene(
            backend: Scripts.always("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nxx")
        ) {
            scene in
            let response = try scene.get()
            try expectOwnAnswer(response, 502)
        }
    }
}
