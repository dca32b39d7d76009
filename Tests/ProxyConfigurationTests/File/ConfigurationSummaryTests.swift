import ProxyConfiguration
import Testing

@Suite("What check says")
struct ConfigurationSummaryTests {
    @Test("Listeners, credentials and routes are told in a line each")
    func summary() throws {
        let configuration = try load(
            """
            listeners: [{ address: "[::1]:1" }]
            admin: { address: "127.0.0.1:2" }
            credentials:
              idp: { type: clientCredentials, tokenUrl: "https://idp.example:8443/t?key=x", clientId: c, clientSecret: s }
              key: { type: static, value: v }
            routes:
              - { name: api, match: { host: api.example, port: 81, pathPrefix: /v1, methods: [GET, HEAD] }, credential: idp }
              - { match: { host: "*.example" }, upstream: "http://10.0.0.1" }
            unmatched: forward
            """)
        let summary = ConfigurationSummary(configuration)
        #expect(summary.counts == "1 listener, 2 credentials, 2 routes")
        #expect(
            summary.lines == [
                "listen      [::1]:1", "admin       127.0.0.1:2",
                "credential  idp: clientCredentials at https://idp.example:8443", "credential  key: static, not used",
                "route       api: GET,HEAD api.example:81/v1… -> the same host over https, credential idp",
                "route       *.example: *.example -> http://10.0.0.1:80, no credential, https:// URLs refused",
                "unmatched   forwarded without a credential",
            ])
    }
}
