import ProxyConfiguration
import Support
import Testing

@Suite("An app bound to a service needs no file")
struct BoundServiceTests {
    private func withBoundProxy(
        services: String, application: String,
        _ body: (ProxyUnderTest, ScriptedServer, FakeTokenEndpoint) throws -> Void
    ) throws {
        let tokens = try FakeTokenEndpoint()
        defer { tokens.stop() }
        let backend = try ScriptedServer(Scripts.ok)
        defer { backend.stop() }
        var flags = Flags()
        flags.backends = [backend.url]
        flags.listen = ["127.0.0.1:0"]
        flags.accessLog = "off"
        let environment = [
            "VCAP_SERVICES": services.replacing("{port}", with: "\(tokens.port)"), "VCAP_APPLICATION": application,
        ]
        let proxy = try ProxyUnderTest(
            configuration: .load(flags: flags, environment: environment))
        defer { proxy.stop() }
        try body(proxy, backend, tokens)
    }

    @Test("Mobile Client Access: the token request is byte for byte the one of the Node.js module")
    func mobileClientAccess() throws {
        try withBoundProxy(
            services: "{\"AdvancedMobileAccess\":[{\"credentials\":{\"clientId\":\"cid\",\"secret\":\"s:e c/ret+\","
                + "\"serverUrl\":\"http://127.0.0.1:{port}/imf-authserver\"}}]}",
            application: "{\"application_id\":\"app-guid-1\"}"
        ) { proxy, backend, tokens in
            let client = try proxy.client()
            defer { client.close() }
            for _ in 0..<5 {
                let response = try client.get("\(backend.url)/doc")
                #expect(response.status == 200)
            }
            let request = try #require(tokens.requests.first)
            #expect(request.head.hasPrefix("POST /imf-authserver/authorization/v1/apps/app-guid-1/token HTTP/1.1\r\n"))
            #expect(request.fields.all("Authorization") == ["Basic Y2lkOnM6ZSBjL3JldCs="])
            #expect(request.fields.all("Host") == ["127.0.0.1:\(tokens.port)"])
            #expect(request.fields.all("Content-Type") == ["application/x-www-form-urlencoded"])
            #expect(request.fields.all("Content-Length") == ["29"])
            #expect(request.text == "grant_type=client_credentials")
            // The module asked at every call.
            #expect(tokens.requests.count == 1)
            let token = try #require(tokens.tokens.first)
            #expect(
                backend.requests.map { $0.fields.all("Authorization") }
                    == Array(repeating: ["Bearer \(token)"], count: 5))
        }
    }
}
