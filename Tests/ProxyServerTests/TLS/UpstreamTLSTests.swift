import Support
import Testing

@Suite("TLS to backends and token servers")
struct UpstreamTLSTests {
    private static let ca = TestCertificates.shared.caFile

    private static func layout(_ backend: TLSBackend, host: String = "127.0.0.1", tls: String? = nil) -> Layout {
        Layout(
            route: ["tls: \(tls ?? "{ caFile: \(ca) }")"], match: "{ host: app.test }",
            upstream: "https://\(host):\(backend.port)")
    }

    private func withBackend(_ backend: TLSBackend, _ layout: Layout, _ body: (Scene) throws -> Void) throws {
        defer { backend.stop() }
        try withScene(layout, body)
    }

    @Test("A plain request reaches a TLS backend with the token, on one connection for many requests")
    func plainToTLS() throws {
        let backend = TLSBackend()
        try withBackend(backend, Self.layout(backend)) { scene in
            let client = try scene.client()
            defer { client.close() }
            for number in 0..<10 {
                let response = try client.get("http://app.test/\(number)")
                #expect(response.text == "/\(number)", "\(response)")
            }
            #expect(backend.connectionCount == 1)
            let token = try #require(scene.tokens.tokens.first)
            #expect(backend.requests.allSatisfy { $0.fields.all("Authorization") == ["Bearer \(token)"] })
        }
    }

    @Test(
        "A target of https:// and one of http:// both use TLS if the route names no upstream",
        arguments: ["http", "https"])
    func schemes(_ scheme: String) throws {
        let backend = TLSBackend()
        let layout = Layout(
            routesBefore: [
                "{ name: tls, match: { host: localhost, port: \(backend.port) }, credential: main, tls: { caFile: \(Self.ca) } }"
            ])
        try withBackend(backend, layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.get("\(scheme)://localhost:\(backend.port)/x")
            #expect(response.status == 200, "\(response)")
            let request = try #require(backend.requests.first)
            #expect(request.target == "/x")
            #expect(request.fields.all("Host") == ["localhost:\(backend.port)"])
            #expect(request.fields.all("Authorization").count == 1)
            #expect(backend.serverNames == ["localhost"])
        }
    }

    @Test("A token that expires while the connection is opened is not sent: the new one is")
    func tokenOfTheTime() throws {
        let gate = Gate()
        let backend = TLSBackend(gate: gate)
        var layout = Self.layout(backend)
        layout.limits = ["connectTimeout: 60s"]
        defer { backend.stop() }
        try withScene(layout, then: .token(expiresIn: "1")) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET http://app.test/ HTTP/1.1\r\nHost: x\r\n\r\n")
            // The third is fetched when the second is nearly at its end, so the first is over.
            try scene.tokens.waitForRequests(scene.tokens.requests.count + 3)
            let first = try #require(scene.tokens.tokens.first)
            gate.open()
            #expect(try client.response().status == 200)
            let sent = try #require(backend.requests.first).fields.all("Authorization")
            #expect(sent.count == 1)
            #expect(sent != ["Bearer \(first)"])
        }
    }

    @Test("If a token expires while the connection is opened and no other is usable, the request waits for one")
    func tokenAwaited() throws {
        let (gate, tokenGate) = (Gate(), Gate())
        let backend = TLSBackend(gate: gate)
        var layout = Self.layout(backend)
        layout.limits = ["connectTimeout: 60s", "acquireTimeout: 60s"]
        defer { backend.stop() }
        try withScene(
            layout, tokens: [.token(expiresIn: "1"), .held(tokenGate, .token(expiresIn: "3600"))]
        ) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET http://app.test/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try scene.tokens.waitForRequests(2)
            try Patience.poll("the first token is over") {
                try scene.proxy.admin("/readyz").status == 503 ? () : nil
            }
            gate.open()
            try Patience.poll("the connection is made") { backend.serverNames.isEmpty ? nil : () }
            tokenGate.open()
            #expect(try client.response().status == 200)
            let second = try #require(scene.tokens.tokens.last)
            #expect(try #require(backend.requests.first).fields.all("Authorization") == ["Bearer \(second)"])
        }
    }

    @Test("The name to send and to verify can be configured")
    func serverName() throws {
        let backend = TLSBackend()
        try withBackend(backend, Self.layout(backend, tls: "{ caFile: \(Self.ca), serverName: backend.test }")) {
            scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.get("http://app.test/")
            #expect(response.status == 200, "\(response)")
            #expect(backend.serverNames == ["backend.test"])
        }
    }

    @Test("A certificate for another name causes a 502 that says so, and no request is sent")
    func wrongName() throws {
        let backend = TLSBackend(TestCertificates.shared.badHost)
        try withBackend(backend, Self.layout(backend)) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<2 {
                let response = try client.get("http://app.test/")
                try expectOwnAnswer(response, 502, mentions: ["127.0.0.1:\(backend.port)", "certificate"])
                #expect(response.fields["Proxy-Status"]?.contains("tls_certificate_error") == true, "\(response)")
            }
            #expect(backend.requests.isEmpty)
        }
    }

    @Test(
        "An expired certificate and one of an unknown authority cause a 502",
        arguments: ["expired", "unknown", "system"])
    func badCertificate(_ kind: String) throws {
        let certificates = TestCertificates.shared
        let backend = TLSBackend(
            kind == "expired" ? certificates.expired : kind == "unknown" ? certificates.unknown : certificates.good)
        // Without a caFile the authorities of the system count, which do not know ours.
        let tls = kind == "system" ? "{ serverName: backend.test }" : nil
        try withBackend(backend, Self.layout(backend, tls: tls)) { scene in
            let client = try scene.client()
            defer { client.close() }
            try expectOwnAnswer(client.get("http://app.test/"), 502, mentions: ["certificate"])
            #expect(backend.requests.isEmpty)
        }
    }

    @Test("A backend with only TLS 1.1 causes a 502")
    func tooOld() throws {
        let backend = TLSBackend(version: .tls11)
        try withBackend(backend, Self.layout(backend)) { scene in
            let client = try scene.client()
            defer { client.close() }
            try expectOwnAnswer(client.get("http://app.test/"), 502, mentions: ["127.0.0.1:\(backend.port)"])
            #expect(backend.requests.isEmpty)
        }
    }

    @Test("A backend without TLS causes a 502 and gets no token")
    func noTLS() throws {
        let layout = Layout(
            route: ["tls: { caFile: \(Self.ca) }"], match: "{ host: app.test }", upstream: "https://{backend}")
        let received = Monitor<[UInt8]>([])
        let script: ScriptedServer.Script = { connection in
            try connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            let bytes = connection.receiveUntilEnd()
            received.access { $0 += bytes }
        }
        try withScene(layout, backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try expectOwnAnswer(client.get("http://app.test/"), 502, mentions: [scene.backend.authority])
            try scene.backend.waitUntilAllClosed()
            #expect(!String(decoding: received.access { $0 }, as: UTF8.self).contains("canary"))
        }
    }

    @Test("TLS 1.2 and 1.3 are used and sessions are resumed", arguments: [TLSTestServer.Version.tls12, .tls13])
    func resumption(_ version: TLSTestServer.Version) throws {
        let backend = TLSBackend(version: version) { _ in .end(Scripts.response("ok", fields: "Connection: close\r\n"))
        }
        try withBackend(backend, Self.layout(backend)) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<3 {
                let response = try client.get("http://app.test/")
                #expect(response.text == "ok", "\(response)")
            }
            #expect(backend.resumptions == [false, true, true])
        }
    }

    @Test("A body until close that close_notify ends is complete; without close_notify it is cut for the app")
    func truncation() throws {
        let backend = TLSBackend { request in
            let bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nall or nothing"
            return request.target == "/whole" ? .end(bytes) : .cut(bytes)
        }
        try withBackend(backend, Self.layout(backend)) { scene in
            let whole = try scene.client()
            defer { whole.close() }
            #expect(try whole.get("http://app.test/whole").text == "all or nothing")
            let cut = try scene.client()
            defer { cut.close() }
            #expect(throws: (any Error).self) { try cut.get("http://app.test/cut") }
        }
    }

    @Test("Large bodies pass through TLS both ways unchanged")
    func large() throws {
        let backend = TLSBackend { .keep(Scripts.response($0.text)) }
        try withBackend(backend, Self.layout(backend)) { scene in
            let client = try scene.client()
            defer { client.close() }
            let body = (0..<400_000).map { "\($0);" }.joined()
            for _ in 0..<2 {
                try client.send(
                    "POST http://app.test/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
                try client.send(body)
                let response = try client.response()
                #expect(response.text == body)
            }
            #expect(backend.connectionCount == 1)
        }
    }

    @Test("A token server behind TLS is verified by the credential's own authority")
    func tokenServer() throws {
        let answer = "{\"access_token\":\"canary-tls-1\",\"expires_in\":3600}"
        let tokens = TLSBackend { _ in .end(Scripts.response(answer, fields: "Connection: close\r\n")) }
        defer { tokens.stop() }
        let layout = Layout(
            tokenURL: "https://localhost:\(tokens.port)/token", credential: ["tls: { caFile: \(Self.ca) }"])
        try withScene(layout) { scene in
            let response = try scene.get()
            #expect(response.status == 200, "\(response)")
            #expect(scene.backend.requests.first?.fields.all("Authorization") == ["Bearer canary-tls-1"])
            #expect(tokens.serverNames == ["localhost"])
        }
    }

    @Test("A token server with a wrong certificate gets no secret, and the app gets a 503 that says why")
    func wrongTokenServer() throws {
        let tokens = TLSBackend(TestCertificates.shared.badHost)
        defer { tokens.stop() }
        let layout = Layout(
            tokenURL: "https://localhost:\(tokens.port)/token", credential: ["tls: { caFile: \(Self.ca) }"])
        try withScene(layout) { scene in
            let response = try scene.get()
            try expectOwnAnswer(response, 503, mentions: ["localhost:\(tokens.port)", "certificate"])
            #expect(tokens.requests.isEmpty)
        }
    }
}
