import Support
import Testing

/// Refuses every token but those that begin like this.
private func accepting(_ prefix: String, challenge: String = "Bearer error=\"invalid_token\"") -> ScriptedServer.Script
{
    ScriptedServer.answering { request in
        if request.fields["Authorization"]?.hasPrefix("Bearer \(prefix)") == true {
            return Scripts.response(request.text)
        }
        return Scripts.response(
            "refused", status: "401 Unauthorized", fields: "WWW-Authenticate: \(challenge)\r\n")
    }
}

@Suite("A token that the backend refuses")
struct RefusedTokenTests {
    @Test("is replaced, and the request is sent again: the app sees only the second response")
    func replaced() throws {
        try withScene(backend: accepting("canary-2")) { scene in
            let response = try scene.get("/x")
            #expect(response.status == 200)
            #expect(scene.backend.requests.map(\.target) == ["/x", "/x"])
            let sent = scene.backend.requests.map { $0.fields.all("Authorization") }
            #expect(sent == scene.tokens.tokens.map { ["Bearer \($0)"] })
            #expect(try scene.get("/y").status == 200)
            #expect(scene.tokens.requests.count == 2)
        }
    }

    @Test("is replaced for a request with a complete body in any framing", arguments: [1, 20_000, 65_536])
    func body(size: Int) throws {
        try withScene(backend: accepting("canary-2")) { scene in
            let body = String(repeating: "b", count: size)
            let plain = try scene.client()
            defer { plain.close() }
            let counted = try plain.exchange(
                "POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n\(body)")
            #expect(counted.status == 200)
            #expect(counted.text == body)
            #expect(scene.backend.requests.map(\.text) == [body, body])
        }
        try withScene(backend: accepting("canary-2")) { scene in
            let client = try scene.client()
            defer { client.close() }
            // Chunked on the way as well, so the framing counts towards what is kept.
            let body = String(repeating: "c", count: max(size / 2, 1))
            let response = try client.exchange(
                "POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n")
            #expect(response.status == 200)
            #expect(scene.backend.requests.map(\.text) == [body, body])
        }
    }

    @Test("is passed on if the body is larger than replayBytes, and is not used again")
    func largeBody() throws {
        try withScene(Layout(limits: ["replayBytes: 1KiB"]), backend: accepting("canary-2")) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 20000\r\n\r\n")
            try scene.backend.wait("the head") { $0.heads.count == 1 }
            try client.send(String(repeating: "b", count: 20_000))
            let response = try client.response(to: "POST")
            #expect(response.status == 401)
            #expect(response.text == "refused")
            #expect(response.fields["WWW-Authenticate"] == "Bearer error=\"invalid_token\"")
            #expect(scene.backend.requests.count == 1)
            try scene.tokens.waitForRequests(2)
            #expect(try scene.get("/").status == 200)
        }
    }

    @Test(
        "is replaced for a body up to replayBytes, even if it came with its head",
        arguments: [
            ("1KiB", 1024, 200), ("1KiB", 1025, 401), ("1KiB", 16_000, 401), ("0", 0, 200), ("0", 1, 401),
            ("0", 5000, 401),
        ])
    func bodyWithHead(limit: String, size: Int, status: Int) throws {
        try withScene(Layout(limits: ["replayBytes: \(limit)"]), backend: accepting("canary-2")) { scene in
            let client = try scene.client()
            defer { client.close() }
            let body = String(repeating: "b", count: size)
            let response = try client.exchange(
                "POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n\(body)")
            #expect(response.status == status)
            #expect(response.text == (status == 200 ? body : "refused"))
            #expect(scene.backend.requests.map(\.text) == Array(repeating: body, count: status == 200 ? 2 : 1))
        }
    }

    @Test("is passed on if the next token is refused too, and causes one fetch in ten seconds")
    func refusedTwice() throws {
        try withScene(backend: accepting("none")) { scene in
            for _ in 0..<5 {
                let response = try scene.get("/")
                #expect(response.status == 401)
            }
            #expect(scene.tokens.requests.count == 2)
            // The first request went twice, the others found nothing better.
            #expect(scene.backend.requests.count == 6)
        }
    }

    @Test("is passed on if no other token is available")
    func noOther() throws {
        try withScene(
            tokens: [.token(expiresIn: "3600"), .status(503, "")], backend: accepting("canary-2")
        ) { scene in
            let response = try scene.get("/")
            #expect(response.status == 401)
            #expect(response.text == "refused")
        }
    }

    @Test("is served again if the token server is down, so that one refusal does not disable a credential")
    func servesOn() throws {
        let gate = Gate()
        let refusals = Monitor(1)
        let refusingOnce = ScriptedServer.answering { request in
            let isRefused = refusals.access { left in
                defer { left = 0 }
                return left > 0
            }
            return isRefused
                ? Scripts.response(
                    "refused", status: "401 Unauthorized",
                    fields: "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n")
                : Scripts.response(request.target)
        }
        try withScene(
            tokens: [.token(expiresIn: "3600"), .held(gate, .closed)], then: .status(503, ""), backend: refusingOnce
        ) { scene in
            let refused = try scene.client()
            defer { refused.close() }
            let waiting = try scene.client()
            defer { waiting.close() }
            try refused.send("GET \(scene.url)/1 HTTP/1.1\r\nHost: x\r\n\r\n")
            try scene.tokens.waitForRequests(2)
            try waiting.send("GET \(scene.url)/2 HTTP/1.1\r\nHost: x\r\n\r\n")
            gate.open()
            #expect(try refused.response(to: "GET").status == 401)
            #expect(try waiting.response(to: "GET").status == 200)
            for _ in 0..<5 { #expect(try scene.get("/3").status == 200) }
            let old = try #require(scene.tokens.tokens.first)
            let sent = scene.backend.requests.map { $0.fields["Authorization"] }
            #expect(sent == Array(repeating: "Bearer \(old)", count: 7))
        }
    }

    @Test("is passed on after acquireTimeout, on a connection that stays open")
    func noOtherInTime() throws {
        let gate = Gate()
        try withScene(
            Layout(limits: ["acquireTimeout: 10s"]),
            tokens: [.token(expiresIn: "3600"), .held(gate, .token(expiresIn: "3600"))],
            backend: accepting("canary-2")
        ) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try scene.tokens.waitForRequests(2)
            try scene.proxy.pass(.seconds(11))
            #expect(try client.response().status == 401)
            gate.open()
            try Patience.poll("the late token serves") {
                let response = try client.get("\(scene.url)/")
                return response.status == 200 ? () : nil
            }
        }
    }

    @Test(
        "is recognised by the route's rule", arguments: [("unauthorized", 200), ("never", 401), ("invalidToken", 401)])
    func rule(word: String, status: Int) throws {
        try withScene(Layout(route: ["refreshOn: \(word)"]), backend: accepting("canary-2", challenge: "Basic")) {
            scene in
            let response = try scene.get("/")
            #expect(response.status == status)
            #expect(scene.backend.requests.count == (status == 200 ? 2 : 1))
        }
    }

    @Test("has no effect on an app that goes away meanwhile")
    func clientGone() throws {
        let gate = Gate()
        try withScene(
            tokens: [.token(expiresIn: "3600"), .held(gate, .token(expiresIn: "3600"))], backend: accepting("canary-2")
        ) { scene in
            let client = try scene.client()
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try scene.tokens.waitForRequests(2)
            client.reset()
            try scene.backend.waitUntilAllClosed()
            gate.open()
            #expect(try scene.get("/").status == 200)
            #expect(scene.backend.requests.count == 2)
        }
    }
}
