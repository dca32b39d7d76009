import Support
import Testing

@Suite("Credentials of other types over real connections")
struct CredentialGrantTests {
    /// A proxy with one credential, given by its lines of YAML, and one route to a backend.
    private func withProxy(
        _ credential: String, backend: ScriptedServer, _ body: (ProxyUnderTest) throws -> Void
    ) throws {
        let proxy = try ProxyUnderTest(
            yaml: """
                listeners: [{ address: 127.0.0.1:0 }]
                admin: { address: 127.0.0.1:0 }
                accessLog: { path: off }
                shutdown: { gracePeriod: 1s }
                credentials: { main: { \(credential) } }
                routes:
                  - match: { host: 127.0.0.1, port: \(backend.port) }
                    upstream: http://127.0.0.1:\(backend.port)
                    credential: main
                """)
        defer { proxy.stop() }
        try body(proxy)
    }

    private func get(_ proxy: ProxyUnderTest, _ backend: ScriptedServer) throws -> ReceivedResponse {
        let client = try proxy.client()
        defer { client.close() }
        return try client.get("\(backend.url)/")
    }

    private static func token(_ token: String, more: String = "") -> String {
        let body = "{\"access_token\":\"\(token)\",\"token_type\":\"Bearer\",\"expires_in\":3600\(more)}"
        return Scripts.response(body)
    }

    @Test("A token server that asks for a certificate gets it, and a new one as soon as it is in the files")
    func mutualTLS() throws {
        let certificates = TestCertificates.shared
        let tokens = TLSBackend(clientCAFile: certificates.caFile) { _ in .end(Self.token("canary-1")) }
        defer { tokens.stop() }
        let backend = try ScriptedServer(Scripts.ok)
        defer { backend.stop() }
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        func present(_ identity: TestCertificates.Identity) throws {
            try directory.write(TemporaryDirectory.read(identity.certificateFile), to: "client.pem")
            try directory.write(TemporaryDirectory.read(identity.keyFile), to: "client.key")
        }
        try present(certificates.good)
        let credential = """
            type: clientCredentials, tokenUrl: "https://localhost:\(tokens.port)/token", clientId: my-app, \
            clientAuthentication: mutualTls, tls: { caFile: \(certificates.caFile), \
            clientCertificate: \(directory.file("client.pem")), clientKey: \(directory.file("client.key")) }
            """
        try withProxy(credential, backend: backend) { proxy in
            #expect(try get(proxy, backend).status == 200)
            #expect(tokens.requests.first?.text == "grant_type=client_credentials&client_id=my-app")
            try present(certificates.badHost)
            try Patience.poll("a request with the new certificate") { () -> Void? in
                tokens.connectionCount > 1 ? () : nil
            }
            let shown = try Patience.poll("both certificates") { () -> [[UInt8]]? in
                Set(tokens.clientCertificates).count == 2 ? tokens.clientCertificates : nil
            }
            #expect(shown.allSatisfy { !$0.isEmpty })
            #expect(try get(proxy, backend).status == 200)
        }
        #expect(backend.requests.allSatisfy { $0.fields["Authorization"] == "Bearer canary-1" })
    }

    @Test("An issuer's metadata names its token endpoint, and a redirect is not followed")
    func discovery() throws {
        let backend = try ScriptedServer(Scripts.ok)
        defer { backend.stop() }
        let elsewhere = try ScriptedServer(Scripts.ok)
        defer { elsewhere.stop() }
        let port = Monitor<UInt16>(0)
        let issuer = try ScriptedServer(
            ScriptedServer.answering { request in
                let own = "http://127.0.0.1:\(port.access { $0 })/realm"
                switch request.target {
                case "/realm/.well-known/openid-configuration":
                    return Scripts.response("{\"issuer\":\"\(own)\",\"token_endpoint\":\"\(own)/token\"}")
                case "/realm/token": return Self.token("canary-2")
                default:
                    return Scripts.response("", status: "302 Found", fields: "Location: \(elsewhere.url)/\r\n")
                }
            })
        defer { issuer.stop() }
        port.access { $0 = issuer.port }
        let credential = """
            type: clientCredentials, issuer: "http://127.0.0.1:\(issuer.port)/realm", clientId: my-app, clientSecret: canary
            """
        try withProxy(credential, backend: backend) { proxy in
            let response = try get(proxy, backend)
            #expect(response.status == 200)
        }
        let asked = issuer.requests.map { "\($0.method) \($0.target)" }
        #expect(
            asked == [
                "GET /.well-known/oauth-authorization-server/realm", "GET /realm/.well-known/openid-configuration",
                "POST /realm/token",
            ])
        #expect(issuer.requests.dropLast().allSatisfy { !$0.head.contains("canary") && $0.body.isEmpty })
        #expect(elsewhere.requests.isEmpty)
        #expect(backend.requests.first?.fields["Authorization"] == "Bearer canary-2")
    }

    @Test("A hanging token server and a failing one delay no other request")
    func isolation() throws {
        let backend = try ScriptedServer(Scripts.ok)
        defer { backend.stop() }
        let hanging = try ScriptedServer(Scripts.silent)
        defer { hanging.stop() }
        let failing = try FakeTokenEndpoint(then: .status(500, ""))
        defer { failing.stop() }
        let good = try FakeTokenEndpoint()
        defer { good.stop() }
        func client(_ url: String) -> String {
            "{ type: clientCredentials, tokenUrl: \"\(url)\", clientId: c, clientSecret: canary }"
        }
        func route(_ prefix: String, _ name: String) -> String {
            "  - { name: \(name), match: { host: 127.0.0.1, pathPrefix: \(prefix) }, upstream: \"\(backend.url)\", credential: \(name) }"
        }
        let proxy = try ProxyUnderTest(
            yaml: """
                listeners: [{ address: 127.0.0.1:0 }]
                admin: { address: 127.0.0.1:0 }
                accessLog: { path: off }
                shutdown: { gracePeriod: 1s }
                limits: { acquireTimeout: 60s }
                credentials:
                  hanging: \(client("\(hanging.url)/token"))
                  failing: \(client(failing.url))
                  good: \(client(good.url))
                routes:
                \(route("/h", "hanging"))
                \(route("/f", "failing"))
                \(route("/g", "good"))
                """)
        defer { proxy.stop() }
        let waiting = try proxy.client()
        defer { waiting.close() }
        try waiting.send("GET \(backend.url)/h HTTP/1.1\r\nHost: x\r\n\r\n")
        let client = try proxy.client()
        defer { client.close() }
        for _ in 0..<20 {
            #expect(try client.get("\(backend.url)/g").status == 200)
            #expect(try client.get("\(backend.url)/f").status == 503)
        }
        #expect(good.requests.count == 1)
    }
}
