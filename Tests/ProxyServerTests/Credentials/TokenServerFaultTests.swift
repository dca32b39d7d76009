import Support
import Testing

@Suite("A failing token server")
struct TokenServerFaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: FakeTokenEndpoint.Answer

        init(_ name: String, _ answer: FakeTokenEndpoint.Answer) {
            testDescription = name
            self.answer = answer
        }
    }

    static let faults = [
        Fault("400 invalid_scope", .status(400, "{\"error\":\"invalid_scope\"}")),
        Fault(
            "401 invalid_client",
            .status(401, "{\"error\":\"invalid_client\",\"error_description\":\"no such client\"}")),
        Fault("403 with an empty body", .status(403, "")),
        Fault("404 with a page", .status(404, type: "text/html", "<html>Not here</html>")),
        Fault("500", .status(500, "{}")),
        Fault("503 with a page", .status(503, type: "text/html", "<html>Down</html>")),
        Fault("a redirect", .status(302, fields: "Location: http://127.0.0.1:1/\r\n", "")),
        Fault("200 with a page", .status(200, type: "text/html", "<html><body>Log in</body></html>")),
        Fault("an empty 200", .status(200, "")),
        Fault("a 200 without a token", .status(200, "{\"token_type\":\"Bearer\",\"expires_in\":60}")),
        Fault("a 200 with an error", .status(200, "{\"error\":\"invalid_request\"}")),
        Fault("an empty token", .status(200, "{\"access_token\":\"\",\"expires_in\":60}")),
        Fault("a token that is a number", .status(200, "{\"access_token\":12345,\"expires_in\":60}")),
        Fault(
            "a token with a line break",
            .status(200, "{\"access_token\":\"canary-a\\r\\nX-Evil: 1\",\"expires_in\":60}")),
        Fault("a token with a NUL", .status(200, "{\"access_token\":\"canary-a\\u0000b\",\"expires_in\":60}")),
        Fault("a token with a space", .status(200, "{\"access_token\":\"canary-a b\",\"expires_in\":60}")),
        Fault("a token beyond ASCII", .status(200, "{\"access_token\":\"canary-\u{e4}\",\"expires_in\":60}")),
        Fault("an array", .status(200, "[1,2,3]")),
        Fault("JSON cut short", .status(200, "{\"access_token\":\"canary-cut")),
        Fault(
            "a body cut short",
            .last("HTTP/1.1 200 OK\r\nContent-Length: 500\r\nConnection: close\r\n\r\n{\"access_token\":\"canary-x\"")),
        Fault("no HTTP", .last("220 mail.example ESMTP\r\n\r\n")),
        Fault("a close", .closed), Fault("a reset", .reset),
        Fault(
            "a body beyond all measure",
            .status(200, "{\"access_token\":\"\(String(repeating: "canary", count: 500_000))\"}")),
    ]

    @Test(
        "It causes a 503 with Retry-After that says what happened and where, and the backend gets no byte",
        arguments: faults)
    func answered(_ fault: Fault) throws {
        try withScene(then: fault.answer) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<2 {
                let response = try client.get("\(scene.url)/")
                try expectOwnAnswer(response, 503, mentions: ["127.0.0.1"])
                let seconds = try #require(response.fields["Retry-After"].flatMap(Int.init), "\(response)")
                #expect((1...60).contains(seconds))
                #expect(!response.text.contains("canary"))
                #expect(!response.head.contains("X-Evil"))
            }
            #expect(scene.backend.heads.isEmpty)
            #expect(!scene.proxy.log.text.contains("canary"), "\(scene.proxy.log.text)")
        }
    }

    @Test("A token server that is down causes a 503 that names it")
    func down() throws {
        let port = try ClosedPort()
        defer { port.release() }
        try withScene(Layout(tokenURL: "http://127.0.0.1:\(port.number)/token")) { scene in
            let response = try scene.get()
            try expectOwnAnswer(response, 503, mentions: ["127.0.0.1:\(port.number)"])
            #expect(response.fields["Retry-After"] != nil)
            #expect(scene.backend.connectionCount == 0)
        }
    }

    @Test("A slow token server causes a 503 after acquireTimeout, and its late token serves the next request")
    func slow() throws {
        let gate = Gate()
        try withScene(Layout(limits: ["acquireTimeout: 100ms"]), tokens: [.held(gate, .token(expiresIn: "3600"))]) {
            scene in
            let response = try scene.get()
            try expectOwnAnswer(response, 503)
            #expect(response.fields["Retry-After"] != nil)
            gate.open()
            let served = try Patience.poll("a request is served") { () -> ReceivedResponse? in
                let response = try scene.get()
                return response.status == 200 ? response : nil
            }
            #expect(served.text == "/")
            #expect(scene.tokens.requests.count == 1)
        }
    }

    @Test("Retry-After of a 429 is honoured and passed on")
    func tooManyRequests() throws {
        try withScene(then: .status(429, fields: "Retry-After: 7\r\n", "{}")) { scene in
            for _ in 0..<5 {
                let response = try scene.get()
                try expectOwnAnswer(response, 503)
                let seconds = try #require(response.fields["Retry-After"].flatMap(Int.init))
                #expect((1...8).contains(seconds))
            }
            #expect(scene.tokens.requests.count == 1)
        }
    }

    @Test("Requests during the back-off fail fast without a token request each")
    func backOff() throws {
        try withScene(then: .status(500, "{}")) { scene in
            try scene.tokens.waitForRequests(1)
            for _ in 0..<30 {
                let response = try scene.get()
                #expect(response.status == 503)
            }
            #expect(scene.tokens.requests.count < 15)
        }
    }

    @Test("After an outage requests are served again without help")
    func recovers() throws {
        try withScene(tokens: [.status(500, "{}"), .closed]) { scene in
            let served = try Patience.poll("a request is served") { () -> ReceivedResponse? in
                let response = try scene.get()
                return response.status == 200 ? response : nil
            }
            #expect(served.text == "/")
            #expect(scene.tokens.requests.count == 3)
        }
    }

    @Test(
        "An absurd expires_in neither ends the process nor causes many token requests",
        arguments: [
            "0", "-1", "-99999999999999999999", "99999999999999999999", "1e300", "-1e300", "0.0001", "\"\"", "\"abc\"",
            "\"3600\"",
            "null", "true", "[]", "{}", "9223372036854775807",
        ])
    func absurdLife(_ expiresIn: String) throws {
        try withScene(Layout(limits: ["acquireTimeout: 300ms"]), then: .token(expiresIn: expiresIn)) { scene in
            for _ in 0..<5 {
                let response = try scene.get()
                #expect(response.status == 200 || response.status == 503, "\(response)")
            }
            #expect(scene.tokens.requests.count <= 10)
            #expect(try scene.proxy.admin("/livez").status == 200)
        }
    }

    @Test("A token response without expires_in, with chunks, or with a lower-case token type is accepted")
    func unusualButGood() throws {
        let chunked = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        let body = "{\"token_type\":\"bearer\",\"access_token\":\"abc.def-_~+/=\"}"
        let answer =
            "\(chunked)10\r\n\(body.prefix(16))\r\n\(String(body.count - 16, radix: 16))\r\n\(body.dropFirst(16))\r\n0\r\n\r\n"
        try withScene(then: .bytes(answer)) { scene in
            let response = try scene.get()
            #expect(response.status == 200)
            #expect(scene.backend.requests.first?.fields.all("Authorization") == ["Bearer abc.def-_~+/="])
        }
    }

    @Test("Interim heads before a token response are skipped, however many there are")
    func interimHeads() throws {
        let heads = String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 20_000)
        let body = "{\"access_token\":\"behind-hints\"}"
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        try withScene(then: .bytes(heads + answer)) { scene in
            let response = try scene.get()
            #expect(response.status == 200)
            #expect(scene.backend.requests.first?.fields.all("Authorization") == ["Bearer behind-hints"])
        }
    }

    @Test("Routes without a credential are served while the token server is down")
    func othersServed() throws {
        let layout = Layout(routesBefore: [
            "{ name: open, match: { host: 127.0.0.1, port: {port}, pathPrefix: /open }, upstream: \"http://{backend}\", credential: none }"
        ])
        try withScene(layout, then: .closed) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("\(scene.url)/closed").status == 503)
            #expect(try client.get("\(scene.url)/open").status == 200)
        }
    }
}
