import ProxyCore
import Support
import Testing

@Suite("A gateway listener")
struct GatewayTests {
    private static let gateway = "{ address: 127.0.0.1:0, mode: gateway, route: main, hosts: [sidecar.example] }"

    /// A gateway to the scene's backend, whose route no forward listener uses.
    private static var layout: Layout {
        var layout = Layout()
        layout.listeners = [gateway]
        layout.match = ""
        return layout
    }

    /// One request to a listener of the scene.
    private func ask(
        _ scene: Scene, _ target: String, method: String = "GET", host: String? = nil, fields: String = "",
        listener: Int = 0
    ) throws -> ReceivedResponse {
        let port = scene.proxy.ports[listener]
        let client = try RawClient(port: port)
        defer { client.close() }
        let host = host ?? "127.0.0.1:\(port)"
        return try client.exchange("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n", method: method)
    }

    @Test("A request by path goes to the route's upstream, with its Host, the credential and a Via")
    func plainRequest() throws {
        try withScene(Self.layout) { scene in
            let response = try ask(
                scene, "/db/doc?rev=1", fields: "Accept: text/plain\r\nAuthorization: Basic eA==\r\n")
            #expect(response.status == 200, "\(response)")
            #expect(response.text == "/db/doc?rev=1")
            let request = try #require(scene.backend.requests.first)
            #expect(request.fields.all("Host") == [scene.backend.authority])
            #expect(request.fields.all("Authorization") == ["Bearer \(try #require(scene.tokens.tokens.first))"])
            #expect(request.fields.all("Accept") == ["text/plain"])
            #expect(request.fields["Via"]?.hasPrefix("1.1 attache-") == true)
            #expect(response.fields["Via"] == "1.1 attache")
            let line = try #require(try scene.accessLog(1).first)
            #expect(line.contains(#""route":"main","method":"GET","target":"/db/doc","status":200"#), "\(line)")
            #expect(line.contains(#""upstream":"http://127.0.0.1:\#(scene.backend.port)""#), "\(line)")
        }
    }

    @Test("A body is streamed to the backend and back, over one connection for all requests")
    func body() throws {
        try withScene(Self.layout, backend: Scripts.echo) { scene in
            let client = try scene.client()
            defer { client.close() }
            for text in ["one", "two"] {
                let response = try client.exchange(
                    "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n\(text)", method: "POST")
                #expect(response.text == text)
            }
            #expect(scene.backend.connectionCount == 1)
        }
    }

    @Test("A page without a site, and TLS, are refused with what to change")
    func advice() throws {
        try withScene(Self.layout) { scene in
            let opaque = try ask(scene, "/x", method: "POST", fields: "Origin: null\r\nContent-Length: 0\r\n")
            try expectOwnAnswer(opaque, 403, mentions: ["origin-denied", "Origin: null", "a page from a file"])
            let client = try scene.client()
            defer { client.close() }
            try client.send([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03, 0x0D, 0x0A, 0x0D, 0x0A])
            let text = String(decoding: try client.receiveUntilEnd(), as: UTF8.self)
            #expect(text.contains("base URL for this gateway begin with http://") && !text.contains("proxy's URL"))
        }
    }

    @Test("Forward and gateway listeners serve beside each other, each in its own way")
    func besideForward() throws {
        var layout = Layout()
        layout.listeners = [
            "{ address: 127.0.0.1:0 }", Self.gateway, "{ address: 127.0.0.1:0, mode: gateway, route: second }",
        ]
        layout.routesBefore = [
            "{ name: second, upstream: \"http://{backend}/second\", match: { methods: [GET] }, credential: main }"
        ]
        try withScene(layout) { scene in
            #expect(try scene.get("/a").text == "/a")
            #expect(try ask(scene, "/b", listener: 1).text == "/b")
            #expect(try ask(scene, "/c", listener: 2).text == "/second/c")
            #expect(try scene.accessLog(3).map { $0.contains(#""route":"second""#) } == [false, false, true])
            try expectOwnAnswer(ask(scene, "/a"), 400, mentions: ["This is a forward proxy"])
            try expectOwnAnswer(
                ask(scene, "/a", method: "POST", listener: 2), 403, mentions: ["second", "the method GET"])
            try expectOwnAnswer(ask(scene, "/../a", listener: 2), 403, mentions: ["without a segment . or .."])
            #expect(scene.backend.requests.count == 3)
        }
    }

    @Test("A target in absolute-form is served if it names the listener")
    func absoluteForm() throws {
        try withScene(Self.layout) { scene in
            let port = scene.proxy.ports[0]
            for host in ["127.0.0.1", "localhost", "sidecar.example"] {
                let response = try ask(scene, "http://\(host):\(port)/x?y", host: "other.example")
                #expect(response.text == "/x?y", "\(host): \(response)")
            }
        }
    }

    @Test("A request for a proxy is refused, and so is CONNECT")
    func forwardProxyRequests() throws {
        try withScene(Self.layout) { scene in
            let port = scene.proxy.ports[0]
            for target in [
                "http://api.example/x", "http://127.0.0.1:\(scene.backend.port)/x", "https://127.0.0.1:\(port)/x",
                "http://elsewhere.example:\(port)/", "http://127.0.0.1/x",
            ] {
                try expectOwnAnswer(ask(scene, target), 400, mentions: ["gateway to route main", "base URL"])
            }
            let connect = try ask(scene, "127.0.0.1:\(port)", method: "CONNECT")
            try expectOwnAnswer(connect, 400, mentions: ["gateway to route main"])
            #expect(scene.backend.heads.isEmpty)
            let line = try #require(try scene.accessLog(1).first)
            #expect(line.contains(#""route":"main""#) && line.contains(#""code":"not-a-gateway-request""#), "\(line)")
        }
    }

    @Test("A web page cannot use the gateway by a name of its own or from another site")
    func webPages() throws {
        try withScene(Self.layout) { scene in
            let evil = try ask(scene, "/x", host: "evil.example:3129")
            try expectOwnAnswer(evil, 421, mentions: ["evil.example:3129", "hosts"])
            #expect(evil.reason == "Misdirected Request")
            let form = try ask(
                scene, "/x", method: "POST", fields: "Origin: https://evil.example\r\nContent-Length: 0\r\n")
            try expectOwnAnswer(form, 403, mentions: ["web page", "hosts"])
            try expectOwnAnswer(ask(scene, "/x", fields: "Sec-Fetch-Site: cross-site\r\n"), 403, mentions: ["web page"])
            #expect(scene.backend.heads.isEmpty)
            #expect(
                try ask(scene, "/x", host: "sidecar.example", fields: "Origin: http://localhost:3000\r\n").status == 200
            )
        }
    }

    @Test("OPTIONS about the whole server goes to the backend, and TRACE with a credential does not")
    func wholeServer() throws {
        try withScene(Self.layout) { scene in
            #expect(try ask(scene, "*", method: "OPTIONS").text == "*")
            #expect(scene.backend.requests.first?.target == "*")
            try expectOwnAnswer(ask(scene, "/x", method: "TRACE"), 403, mentions: ["TRACE"])
            #expect(try ask(scene, "*", method: "OPTIONS", fields: "Max-Forwards: 0\r\n").status == 200)
            #expect(scene.backend.requests.count == 1)
        }
    }

    @Test("URLs of the upstream in a response get the gateway's authority, as the app has named it")
    func mapping() throws {
        var layout = Self.layout
        layout.upstream = "http://{backend}/v2"
        let backend = ScriptedServer.answering { request in
            let origin = "http://\(request.fields["Host"] ?? "")"
            let fields = """
                Location: \(origin)/v2/new?a\r
                Content-Location: /v2/old\r
                Set-Cookie: a=b; Domain=127.0.0.1; Path=/v2; HttpOnly\r
                Set-Cookie: c=d; Domain=other.example\r
                Link: <\(origin)/v2/next>; rel=next\r

                """
            return Scripts.response(request.target, status: "201 Created", fields: fields)
        }
        try withScene(layout, backend: backend) { scene in
            let response = try ask(scene, "/x", host: "localhost:3129")
            #expect(response.status == 201)
            #expect(response.text == "/v2/x")
            #expect(response.fields.all("Location") == ["http://localhost:3129/new?a"])
            #expect(response.fields.all("Content-Location") == ["/old"])
            #expect(response.fields.all("Set-Cookie") == ["a=b; Path=/; HttpOnly", "c=d; Domain=other.example"])
            #expect(response.fields.all("Link") == ["<http://\(scene.backend.authority)/v2/next>; rel=next"])
        }
    }

    @Test("A forward proxy maps URLs only where the upstream has a path")
    func forwardMapping() throws {
        let backend = ScriptedServer.answering { request in
            Scripts.response("", fields: "Location: http://\(request.fields["Host"] ?? "")/v2/new\r\n")
        }
        try withScene(backend: backend) { scene in
            let location = try scene.get().fields["Location"]
            #expect(location == "\(scene.url)/v2/new")
        }
        try withScene(Layout(upstream: "http://{backend}/v2"), backend: backend) { scene in
            #expect(try scene.get("/x").fields["Location"] == "\(scene.url)/new")
            #expect(scene.backend.requests.map(\.target) == ["/v2/x"])
            try expectOwnAnswer(scene.get("/a/../../x"), 403, mentions: ["without a segment . or .."])
        }
    }

    @Test("With host: preserve, the backend gets the app's Host")
    func preservedHost() throws {
        var layout = Self.layout
        layout.route = ["host: preserve"]
        try withScene(layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            for path in ["/x", "/a/longer/path", "/"] {
                _ = try client.exchange("GET \(path) HTTP/1.1\r\nHost: sidecar.example:8080\r\nX: y\r\n\r\n")
            }
            let hosts = scene.backend.requests.map { $0.fields.all("Host") }
            #expect(hosts == Array(repeating: ["sidecar.example:8080"], count: 3))
        }
    }

    @Test("A refused token is replaced as for a forward proxy, and the response to the second attempt is mapped")
    func refusedToken() throws {
        let backend = ScriptedServer.answering { request in
            guard request.fields["Authorization"]?.hasPrefix("Bearer canary-2") == true else {
                let challenge = "WWW-Authenticate: Bearer error=\"invalid_token\"\r\n"
                return Scripts.response("", status: "401 Unauthorized", fields: challenge)
            }
            return Scripts.response("", fields: "Location: http://\(request.fields["Host"] ?? "")/new\r\n")
        }
        try withScene(Self.layout, backend: backend) { scene in
            let response = try ask(scene, "/x", host: "localhost")
            #expect(response.status == 200)
            #expect(response.fields["Location"] == "http://localhost/new")
            #expect(scene.backend.requests.count == 2)
        }
    }

    @Test("Each worker serves the gateway")
    func workers() throws {
        var layout = Self.layout
        layout.top = ["workers: 3"]
        try withScene(layout) { scene in
            let statuses = try (0..<12).map { _ in try ask(scene, "/x").status }
            #expect(statuses == Array(repeating: 200, count: 12))
        }
    }
}
