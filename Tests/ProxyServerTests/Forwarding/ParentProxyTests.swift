import Support
import Testing

@Suite("A parent proxy between Attaché and its backends")
struct ParentProxyTests {
    /// A route to `backend.test` through a parent proxy.
    private static func layout(
        _ parent: ScriptedServer, upstream: String = "http://backend.test:{port}", route: [String] = [],
        top: [String] = [], more: String = ""
    ) -> Layout {
        Layout(
            route: ["allowPlaintext: true"] + route, match: "{ host: backend.test }", upstream: upstream,
            top: ["upstreamProxy: { url: \"\(parent.url)\"\(more) }"] + top)
    }

    private static let credentials = ", username: me, password: canary-password"
    private static let basic = "Basic bWU6Y2FuYXJ5LXBhc3N3b3Jk"

    @Test("gets the requests for an http backend in absolute-form, with its own credentials and the route's")
    func absoluteForm() throws {
        let parent = try ScriptedServer(Scripts.ok)
        defer { parent.stop() }
        try withScene(Self.layout(parent, more: Self.credentials)) { scene in
            let client = try scene.client()
            defer { client.close() }
            let url = "http://backend.test:\(scene.backend.port)/x?y"
            for _ in 0..<2 {
                let response = try client.get("http://backend.test/x?y", fields: "Proxy-Authorization: Basic app\r\n")
                #expect(response.status == 200 && response.text == url)
            }
            #expect(parent.connectionCount == 1 && scene.backend.connectionCount == 0)
            for request in parent.requests {
                #expect(request.fields["Host"] == "backend.test:\(scene.backend.port)")
                #expect(request.fields.all("Proxy-Authorization") == [Self.basic])
                #expect(request.fields.all("Authorization").first?.hasPrefix("Bearer canary-") == true)
            }
            #expect(!scene.proxy.log.text.contains("canary-password"))
        }
    }

    @Test("never sees the credential for an https backend, which goes inside a tunnel")
    func tunnel() throws {
        let backend = TLSBackend()
        defer { backend.stop() }
        let parent = try ScriptedServer.tunnels(toPort: backend.port)
        defer { parent.stop() }
        let layout = Self.layout(
            parent, upstream: "https://backend.test:8443",
            route: ["tls: { caFile: \(TestCertificates.shared.caFile) }"], more: Self.credentials)
        try withScene(layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<2 { #expect(try client.get("http://backend.test/x").status == 200) }
            let head = try #require(parent.heads.first)
            #expect(head.method == "CONNECT" && head.target == "backend.test:8443" && parent.heads.count == 1)
            #expect(head.fields["Proxy-Authorization"] == Self.basic && head.fields["Authorization"] == nil)
            #expect(backend.serverNames == ["backend.test"])
            for request in backend.requests {
                #expect(request.target == "/x" && request.fields["Proxy-Authorization"] == nil)
                #expect(request.fields["Authorization"]?.hasPrefix("Bearer ") == true)
            }
        }
    }

    @Test(
        "opens a tunnel to an http backend if tunnel is true, or if the app's Host must stay", arguments: [true, false])
    func tunnelToHTTP(always: Bool) throws {
        let backend = try ScriptedServer(Scripts.ok)
        defer { backend.stop() }
        let parent = try ScriptedServer.tunnels(toPort: backend.port)
        defer { parent.stop() }
        let layout = Self.layout(
            parent, route: always ? [] : ["host: preserve"], more: always ? ", tunnel: true" : "")
        try withScene(layout) { scene in
            let response = try Self.get("http://backend.test/x", scene)
            #expect(response.status == 200)
            #expect(parent.heads.map(\.target) == ["backend.test:\(scene.backend.port)"])
            #expect(backend.requests.map(\.target) == ["/x"])
            #expect(
                backend.requests.first?.fields["Host"]
                    == (always ? "backend.test:\(scene.backend.port)" : "backend.test"))
        }
    }

    @Test("carries the app's own tunnels")
    func appTunnel() throws {
        let backend = try ScriptedServer(Scripts.mirror)
        defer { backend.stop() }
        let parent = try ScriptedServer.tunnels(toPort: backend.port)
        defer { parent.stop() }
        try withScene(Self.layout(parent, top: ["connect: { allow: [\"other.test:443\"] }"])) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("CONNECT other.test:443 HTTP/1.1\r\nHost: other.test\r\n\r\nearly")
            #expect(try client.response(to: "CONNECT").status == 200)
            #expect(try client.receive(exactly: 5) == Array("early".utf8))
            #expect(parent.heads.map(\.target) == ["other.test:443"])
        }
    }

    @Test("is not used for the hosts of noProxy, for this machine, and on a route without one")
    func exceptions() throws {
        let parent = try ScriptedServer(Scripts.ok)
        defer { parent.stop() }
        let resolve = "resolve: { backend.test: 127.0.0.1, direct.test: 127.0.0.1 }"
        let direct = "{ match: { host: direct.test }, upstream: \"http://direct.test:{port}\", upstreamProxy: none }"
        let local = "{ match: { host: local.test }, upstream: \"http://127.0.0.1:{port}\" }"
        var layout = Self.layout(parent, top: [resolve], more: ", noProxy: [\"*.test:{port}\"]")
        layout.routesBefore = [direct, local]
        try withScene(layout) { scene in
            for host in ["backend.test", "direct.test", "local.test"] {
                let response = try Self.get("http://\(host)/\(host)", scene)
                #expect(response.text == "/\(host)")
            }
            #expect(parent.connectionCount == 0)
        }
    }

    @Test("that demands credentials gives 502 and not its 407", arguments: ["", credentials])
    func demands(_ more: String) throws {
        let answer = Scripts.response(
            "canary-page", status: "407 No", fields: "Proxy-Authenticate: Basic realm=x\r\n")
        let parent = try ScriptedServer(Scripts.always(answer))
        defer { parent.stop() }
        try withScene(Self.layout(parent, more: more)) { scene in
            let response = try Self.get("http://backend.test/x", scene)
            try expectOwnAnswer(
                response, 502,
                mentions: [
                    "upstream-proxy-refused", "parent proxy \(parent.authority)",
                    more.isEmpty ? "demands a user name" : "refused the user name", "http://backend.test:",
                ])
            #expect(!response.text.contains("canary"))
        }
    }

    @Test("that fails is named in the error", arguments: ["403", "407", "502", "", "garbage", "refused"])
    func failure(_ how: String) throws {
        let parent = try ScriptedServer { connection in
            _ = try connection.head()
            switch how {
            case "": return
            case "garbage": try connection.send("220 ready\r\n")
            default: try connection.send("HTTP/1.1 \(how) No\r\nContent-Length: 0\r\n\r\n")
            }
        }
        defer { parent.stop() }
        let closed = try ClosedPort()
        let place = how == "refused" ? "127.0.0.1:\(closed.number)" : parent.authority
        let layout = Layout(
            match: "{ host: backend.test }", upstream: "https://backend.test:8443",
            top: ["upstreamProxy: http://\(place)"])
        try withScene(layout) { scene in
            let response = try Self.get("http://backend.test/x", scene)
            let code = how == "refused" ? "connection-refused" : "upstream-proxy-refused"
            try expectOwnAnswer(response, 502, mentions: [code, "the parent proxy \(place)"])
            if Int(how) != nil { #expect(response.text.contains(how), "\(response)") }
            #expect(response.text.contains(#""title":"Parent proxy refused"#), "\(response)")
        }
    }

    @Test("is asked for token servers only if tokenServerProxy says so, in absolute-form for http")
    func tokenServer() throws {
        let parent = try ScriptedServer { connection in
            while let request = try connection.request() {
                let token = #"{"access_token":"through-parent","token_type":"Bearer","expires_in":60}"#
                try connection.send(Scripts.response(request.target.hasSuffix("/token") ? token : "ok"))
            }
        }
        defer { parent.stop() }
        let resolve = "resolve: { backend.test: 127.0.0.1, tokens.test: 127.0.0.1 }"
        for isAsked in [true, false] {
            let proxy = "tokenServerProxy: { url: \"\(parent.url)\"\(Self.credentials) }"
            let layout = Layout(
                route: ["allowPlaintext: true"], match: "{ host: backend.test }",
                upstream: "http://backend.test:{port}",
                tokenURL: "{tokens}", credential: ["allowPlaintext: true"], top: [resolve] + (isAsked ? [proxy] : []))
            try withScene(layout) { scene in
                let response = try Self.get("http://backend.test/x", scene)
                #expect(response.status == 200)
                let token = try #require(scene.backend.requests.first?.fields["Authorization"])
                #expect((token == "Bearer through-parent") == isAsked)
                #expect(scene.tokens.requests.isEmpty == isAsked)
                guard isAsked else { return }
                let request = try #require(parent.requests.first)
                #expect(request.target == "http://tokens.test:\(scene.tokens.port)/token")
                #expect(request.fields["Proxy-Authorization"] == Self.basic)
                #expect(request.fields["Host"] == "tokens.test:\(scene.tokens.port)")
            }
        }
    }

    @Test("that refuses requests to the token server is named in the error", arguments: ["http", "https"])
    func refusedTokenRequest(_ scheme: String) throws {
        let parent = try ScriptedServer(Scripts.once(Scripts.response("", status: "407 No")))
        defer { parent.stop() }
        let layout = Layout(
            tokenURL: "\(scheme)://tokens.test:8443/token", credential: ["allowPlaintext: true"],
            top: ["tokenServerProxy: \(parent.url)"])
        try withScene(layout) { scene in
            let response = try scene.get()
            try expectOwnAnswer(
                response, 503, mentions: ["parent proxy \(parent.authority) demands a user name", "tokens.test:8443"])
            #expect(!response.text.contains("check its address"), "\(response)")
        }
    }

    @Test("that cannot be reached is named in the error about the token server, with the key to check")
    func unreachableForTokens() throws {
        let closed = try ClosedPort()
        let place = "127.0.0.1:\(closed.number)"
        let layout = Layout(
            tokenURL: "https://tokens.test:8443/token", top: ["tokenServerProxy: http://\(place)"])
        try withScene(layout) { scene in
            let response = try scene.get()
            try expectOwnAnswer(
                response, 503, mentions: ["the parent proxy \(place)", "check tokenServerProxy"])
            #expect(!response.text.contains("check its address"), "\(response)")
        }
    }

    @Test("gets a new password when its file changes")
    func rotation() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try directory.write("old\n", to: "password")
        let parent = try ScriptedServer(Scripts.ok)
        defer { parent.stop() }
        let more = ", username: me, password: { file: \(directory.file("password")) }"
        try withScene(Self.layout(parent, more: more)) { scene in
            let client = try scene.client()
            defer { client.close() }
            _ = try client.get("http://backend.test/x")
            #expect(parent.requests.last?.fields["Proxy-Authorization"] == "Basic bWU6b2xk")
            try directory.write("new\n", to: "password")
            try Patience.poll("the new password") { () -> Void? in
                _ = try client.get("http://backend.test/x")
                return parent.requests.last?.fields["Proxy-Authorization"] == "Basic bWU6bmV3" ? () : nil
            }
            try directory.write("", to: "password")
            try scene.proxy.log.wait(for: "password of a parent proxy not replaced")
        }
    }

    @Test("gets the Via of an app's CONNECT, and the app a 508 if the way leads back")
    func circle() throws {
        let parent = try ScriptedServer { connection in
            _ = try connection.head()
            try connection.send("HTTP/1.1 508 Loop Detected\r\n\r\n")
        }
        defer { parent.stop() }
        let layout = Layout(top: ["upstreamProxy: \(parent.url)", "connect: { allow: [\"*:443\"] }"])
        try withScene(layout) { scene in
            let client = try scene.client()
            defer { client.close() }
            let answer = try client.exchange("CONNECT x.test:443 HTTP/1.1\r\nHost: x.test\r\nVia: 1.1 other\r\n\r\n")
            try expectOwnAnswer(answer, 508, mentions: ["loop-detected", "the parent proxy \(parent.authority)"])
            let via = try #require(parent.heads.first).fields.all("Via")
            #expect(via.count == 2 && via[0] == "1.1 other" && via[1].hasPrefix("1.1 attache-"), "\(via)")
        }
    }

    @Test("may be another Attaché")
    func another() throws {
        let backend = TLSBackend()
        defer { backend.stop() }
        let parent = try ProxyUnderTest(
            yaml: """
                listeners: [{ address: 127.0.0.1:0 }]
                unmatched: forward
                connect: { allow: ["backend.test:\(backend.port)"] }
                resolve: { backend.test: 127.0.0.1 }
                accessLog: { path: "off" }
                """)
        defer { parent.stop() }
        var layout = Layout(
            route: ["allowPlaintext: true"], match: "{ host: backend.test, pathPrefix: /plain }",
            upstream: "http://backend.test:{port}", top: ["upstreamProxy: http://127.0.0.1:\(parent.port)"])
        layout.routesBefore = [
            "{ match: { host: backend.test, pathPrefix: /secure }, upstream: \"https://backend.test:\(backend.port)\", "
                + "credential: main, tls: { caFile: \(TestCertificates.shared.caFile) } }"
        ]
        try withScene(layout) { scene in
            for path in ["/plain", "/secure"] {
                let response = try Self.get("http://backend.test\(path)", scene)
                #expect(response.text == path)
            }
            let via = try #require(scene.backend.requests.first).fields.all("Via")
            #expect(via.count == 2 && Set(via).count == 2 && via.allSatisfy { $0.hasPrefix("1.1 attache-") }, "\(via)")
            for request in scene.backend.requests + backend.requests {
                #expect(request.fields["Authorization"]?.hasPrefix("Bearer canary-") == true)
            }
        }
    }

    /// One GET on a connection of its own.
    private static func get(_ url: String, _ scene: Scene) throws -> ReceivedResponse {
        let client = try scene.client()
        defer { client.close() }
        return try client.get(url)
    }
}
