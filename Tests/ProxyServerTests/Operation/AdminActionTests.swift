import EventTransport
import Support
import Testing

@testable import ProxyServer

@Suite("What operators do by the admin listener")
struct AdminActionTests {
    @Test("A refresh answers after the fetch, and the next request has the new token")
    func refresh() throws {
        try withScene { scene in
            #expect(try scene.get().status == 200)
            let answer = try scene.proxy.post("/credentials/main/refresh")
            #expect(answer.status == 200, "\(answer)")
            #expect(answer.fields["Content-Type"] == "application/json")
            #expect(answer.text.contains(#""outcome": "renewed""#), "\(answer.text)")
            #expect(!answer.text.contains("canary"))
            #expect(try scene.get().status == 200)
            let tokens = scene.tokens.tokens
            #expect(tokens.count == 2)
            #expect(scene.backend.requests.map { $0.fields["Authorization"] } == tokens.map { "Bearer \($0)" })
            #expect(try scene.proxy.post("/credentials/maim/refresh").status == 404)
        }
    }

    @Test("A refresh that fails says why, and the old token stays")
    func failedRefresh() throws {
        try withScene(
            tokens: [.token(expiresIn: "3600")], then: .status(401, "{\"error\":\"invalid_client\"}")
        ) { scene in
            #expect(try scene.get().status == 200)
            let answer = try scene.proxy.post("/credentials/main/refresh")
            #expect(answer.status == 502, "\(answer)")
            #expect(answer.text.contains("token-server-refused"), "\(answer.text)")
            #expect(try scene.get().status == 200)
            let page = try scene.proxy.admin("/credentials")
            #expect(page.status == 200)
            #expect(page.text.contains(#""code": "token-server-refused""#), "\(page.text)")
            #expect(try scene.proxy.admin("/routes").text.contains(#""name": "main""#))
        }
    }

    /// Asks for a refresh, and runs `body` while the token server keeps its answer back until the gate opens.
    private func withPendingRefresh(_ body: (Scene, RawClient, Gate) throws -> Void) throws {
        let gate = Gate("the token server may answer")
        let tokens: [FakeTokenEndpoint.Answer] = [
            .token(expiresIn: "3600"), .held(gate, .token(expiresIn: "3600")),
        ]
        try withScene(tokens: tokens) { scene in
            defer { gate.open() }
            #expect(try scene.get().status == 200)
            let client = try RawClient(port: scene.proxy.adminPort)
            defer { client.close() }
            try client.send(
                "POST /credentials/main/refresh HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
            try scene.tokens.waitForRequests(2)
            try body(scene, client, gate)
        }
    }

    @Test("A refresh whose fetch has not ended after 25 s answers 504, and the fetch continues")
    func pendingRefresh() throws {
        try withPendingRefresh { scene, client, gate in
            try scene.proxy.pass(.seconds(25))
            let answer = try client.response(to: "POST")
            #expect(answer.status == 504, "\(answer)")
            #expect(answer.text.contains(#""outcome": "pending""#), "\(answer.text)")
            #expect(answer.text.contains("the fetch has not ended after 25 s and continues"), "\(answer.text)")
            #expect(try scene.get().status == 200)
            gate.open()
            try Patience.poll("requests have the new token") {
                _ = try? scene.get()
                return Set(scene.backend.requests.map { $0.fields["Authorization"] }).count > 1 ? () : nil
            }
        }
    }

    @Test("A refresh whose fetch has not ended at the end of the process answers 409")
    func refreshAtEnd() throws {
        try withPendingRefresh { scene, client, _ in
            scene.proxy.drain()
            let answer = try client.response(to: "POST")
            #expect(answer.status == 409, "\(answer)")
            #expect(answer.text == "attache is stopping and does not finish this request\n")
            #expect(try client.endsNow())
        }
    }

    @Test("A credential without a token of its own answers 409", arguments: ["fixed", "tenants"])
    func impossibleRefresh(_ name: String) throws {
        var layout = Layout()
        layout.credentialsBefore = [
            "fixed: { type: static, value: canary-fixed }",
            "tenants: { type: clientCredentials, tokenUrl: \"{token}\", clientId: c, clientSecret: canary-s, scope: \"{host}\" }",
        ]
        layout.routesBefore = ["fixed", "tenants"].map {
            "{ name: \($0), match: { host: \($0).test }, upstream: \"http://{backend}\", credential: \($0) }"
        }
        try withScene(layout) { scene in
            let answer = try scene.proxy.post("/credentials/\(name)/refresh")
            #expect(answer.status == 409, "\(answer)")
            #expect(answer.text.contains(#""outcome": "impossible""#), "\(answer.text)")
            #expect(answer.text.contains(name == "fixed" ? "nothing is fetched" : "depend on requests"))
            #expect(!answer.text.contains("canary"))
        }
    }

    @Test("The level of the log changes at run time, and its page shows it")
    func logLevel() throws {
        try withScene { scene in
            #expect(try scene.proxy.admin("/log-level").text == "info\n")
            let answer = try scene.proxy.post("/log-level?level=debug", method: "PUT")
            #expect(answer.status == 200)
            #expect(answer.text.hasPrefix("level debug, was info; "), "\(answer.text)")
            #expect(try scene.proxy.admin("/log-level").text == "debug\n")
        }
    }

    @Test("A body that is too long gets 413", arguments: [65_537, 200_000])
    func longBody(_ count: Int) throws {
        try withScene { scene in
            let client = try RawClient(port: scene.proxy.adminPort)
            defer { client.close() }
            try client.send("PUT /log-level HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(count)\r\n\r\n")
            try client.send(String(repeating: "x", count: count))
            let response = try client.response()
            #expect(response.status == 413)
            #expect(response.text == "the body is longer than 65536 bytes\n")
        }
    }

    @Test("POST /drain drains as SIGTERM does")
    func drain() throws {
        try withScene { scene in
            let answer = try scene.proxy.post("/drain")
            #expect(answer.status == 200)
            #expect(answer.text.hasPrefix("draining, as after SIGTERM"), "\(answer.text)")
            try scene.proxy.waitForEnd()
        }
    }

    @Test("Requests to drain that arrive together, and the first signal after them, cut nothing")
    func drainTwice() throws {
        let answering = Gate("the backend may answer")
        let backend: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try answering.wait()
            try connection.send(Scripts.response("whole"))
        }
        let loop = try EventLoop()
        try withScene(backend: backend, loop: loop) { scene in
            let app = try scene.proxy.client()
            defer { app.close() }
            try app.send("GET \(scene.url)/ HTTP/1.1\r\nHost: 127.0.0.1:\(scene.backend.port)\r\n\r\n")
            try scene.backend.wait("the request") { !$0.requests.isEmpty }
            let operators = try (0..<2).map { _ in try RawClient(port: scene.proxy.adminPort) }
            defer { for client in operators { client.close() } }
            for client in operators {
                #expect(try client.exchange("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 200)
            }
            let arrived = Gate("both requests have arrived")
            loop.execute { try? arrived.wait() }
            for client in operators {
                try client.send("POST /drain HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
            }
            arrived.open()
            let statuses = try operators.map { try $0.response().status }
            #expect(statuses.contains(200))
            scene.proxy.drain()
            try scene.proxy.pass(.milliseconds(1))
            answering.open()
            #expect(try app.response().text == "whole")
            try scene.proxy.waitForEnd()
            #expect(!scene.proxy.log.text.contains("another signal arrived"))
        }
    }
}
