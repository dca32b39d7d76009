import Support
import Testing

@Suite("A WebSocket")
struct WebSocketTests {
    private static let agreed =
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"

    /// Agrees to every request, then sends back what it receives.
    private static let mirror: ScriptedServer.Script = { connection in
        _ = try connection.request()
        try connection.send(agreed)
        try Scripts.mirror(connection)
    }

    private static func handshake(_ scene: Scene, _ fields: String = "") -> String {
        "GET \(scene.url)/socket HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\(fields)\r\n"
    }

    @Test("carries bytes both ways after a handshake with the credential")
    func bothWays() throws {
        try withScene(backend: Self.mirror) { scene in
            let client = try scene.client()
            let response = try client.exchange(Self.handshake(scene))
            #expect(response.status == 101)
            #expect(response.fields.all("Upgrade") == ["websocket"])
            #expect(response.fields.all("Connection") == ["Upgrade"])
            #expect(response.fields["Sec-WebSocket-Accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            for text in ["\u{01}hello", "GET / HTTP/1.1\r\n\r\n"] {
                try client.send(text)
                #expect(try client.receive(exactly: text.utf8.count) == Array(text.utf8))
            }
            client.endWriting()
            #expect(try client.endsNow())
            let heard = try #require(scene.backend.heads.first)
            #expect(heard.fields.all("Authorization").count == 1)
            #expect(heard.fields.all("Upgrade") == ["websocket"] && heard.fields.all("Connection") == ["Upgrade"])
            #expect(heard.fields["Sec-WebSocket-Key"] == "dGhlIHNhbXBsZSBub25jZQ==")
            let line = try #require(try scene.accessLog(1).last)
            #expect(line.contains(#""status":101,"#) && line.contains(#""bytesReceived":24,"#), "\(line)")
            #expect(line.contains(#""credential":"main","tokenAge""#) && !line.contains("code"), "\(line)")
            let metrics = try scene.proxy.admin("/metrics").text
            #expect(metrics.contains("attache_tunnels_opened_total{kind=\"websocket\"} 1\n"))
            #expect(metrics.contains(#"attache_requests_total{route="main",code="101"} 1"#))
        }
    }

    @Test("sends nothing of the app to the backend before the 101, and then what came early")
    func early() throws {
        let agrees = Gate("the backend agrees")
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try agrees.wait()
            #expect(!connection.socket.canReceive(within: .zero))
            try connection.send(Self.agreed + "first")
            try Scripts.mirror(connection)
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send(Self.handshake(scene) + "early")
            try scene.backend.wait("the handshake") { !$0.requests.isEmpty }
            try scene.pass(.zero, after: client)
            agrees.open()
            #expect(try client.response().status == 101)
            #expect(try client.receive(exactly: 10) == Array("firstearly".utf8))
        }
    }

    @Test(
        "that the backend refuses is an ordinary response, and the connection goes on",
        arguments: [
            ("403 Forbidden", ""), ("200 OK", ""),
            ("426 Upgrade Required", "Connection: Upgrade\r\nUpgrade: websocket\r\n"),
        ])
    func refused(_ status: String, _ fields: String) throws {
        let script = ScriptedServer.answering { request in
            Scripts.response(request.target, status: request.target == "/socket" ? status : "200 OK", fields: fields)
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange(Self.handshake(scene))
            #expect("\(response.status)" == status.prefix(3))
            #expect(response.text == "/socket")
            #expect(response.fields["Upgrade"] == (fields.isEmpty ? nil : "websocket"))
            #expect(try client.get("\(scene.url)/next").text == "/next")
        }
    }

    @Test("gets another token if the backend refuses the first one")
    func refusedToken() throws {
        let script: ScriptedServer.Script = { connection in
            guard connection.number == 0 else { return try Self.mirror(connection) }
            _ = try connection.request()
            try connection.send(
                Scripts.response(
                    "", status: "401 Unauthorized", fields: "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n"))
            connection.receiveUntilEnd()
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.exchange(Self.handshake(scene)).status == 101)
            try client.send("x")
            #expect(try client.receive(exactly: 1) == Array("x".utf8))
            let tokens = scene.backend.requests.map { $0.fields["Authorization"] }
            #expect(tokens.count == 2 && tokens[0] != nil && tokens[1] != tokens[0])
        }
    }

    @Test(
        "is the only protocol to which a backend may switch",
        arguments: [
            "Connection: Upgrade\r\nUpgrade: h2c\r\n", "Connection: Upgrade\r\n", "Upgrade: websocket\r\n", "",
        ])
    func otherProtocol(_ fields: String) throws {
        try withScene(backend: Scripts.always("HTTP/1.1 101 Switching Protocols\r\n\(fields)\r\nxx")) { scene in
            let client = try scene.client()
            defer { client.close() }
            try expectOwnAnswer(client.exchange(Self.handshake(scene)), 502, mentions: ["malformed-response"])
        }
    }

    @Test(
        "that Attaché does not ask for is told in the access log",
        arguments: [
            "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
            "Upgrade: websocket\r\n",
            "Connection: Upgrade\r\nUpgrade: TLS/1.0\r\n",
        ])
    func dropped(_ fields: String) throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("\(scene.url)/a", fields: fields).text == "/a")
            #expect(try client.get("\(scene.url)/b").text == "/b")
            #expect(scene.backend.requests.allSatisfy { $0.fields["Upgrade"] == nil && $0.fields["Connection"] == nil })
            let log = try scene.accessLog(2)
            #expect(log[0].contains(#""upgrade":"dropped""#) && !log[1].contains("upgrade"), "\(log)")
        }
    }

    @Test("has the idle limit of a tunnel")
    func idle() throws {
        try withScene(Layout(limits: ["tunnelIdleTimeout: 10m"]), backend: Self.mirror) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.exchange(Self.handshake(scene)).status == 101)
            try scene.pass(.seconds(500), after: client)
            try client.send("x")
            #expect(try client.receive(exactly: 1) == Array("x".utf8))
            try scene.pass(.seconds(650), after: client)
            #expect(throws: SocketError.reset) { try client.receiveUntilEnd() }
            #expect(try scene.accessLog(1)[0].contains(#""status":101,"#))
        }
    }

    @Test("works inside a terminated tunnel")
    func insideTunnel() throws {
        let layout = Layout(route: ["connect: terminate"], match: "{ host: api.test }")
        try withScene(layout, backend: Self.mirror) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("CONNECT api.test:80 HTTP/1.1\r\nHost: api.test:80\r\n\r\n")
            #expect(try client.response(to: "CONNECT").status == 200)
            try client.send(
                "GET /socket HTTP/1.1\r\nHost: api.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            #expect(try client.response().status == 101)
            try client.send("hello")
            #expect(try client.receive(exactly: 5) == Array("hello".utf8))
        }
    }
}
