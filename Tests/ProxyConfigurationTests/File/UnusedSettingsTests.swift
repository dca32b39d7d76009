import ProxyConfiguration
import ProxyCore
import Testing

@Suite("Routes that no request reaches and credentials that no route uses")
struct UnusedSettingsTests {
    @Test("A route that a route of --backend shadows is reported with the option")
    func shadowedByOption() throws {
        var flags = Flags()
        flags.backends = ["https://a.example"]
        let text = """
            credentials: { x: { type: file, path: /token } }
            routes: [{ name: mine, match: { host: a.example, port: 443 }, credential: x }]

            """
        let configuration = try load(text, flags: flags)
        #expect(configuration.routes.map(\.name) == ["a.example", "mine"])
        #expect(configuration.warnings.count == 1)
        #expect(
            configuration.warnings.first?.message.contains("because route a.example (--backend) comes first") == true)
    }

    @Test("A credential without a route is not served")
    func unusedCredential() throws {
        let configuration = try load(
            """
            credentials:
              x: { type: file, path: /token }
              y: { type: ibmIam, apikey: k }
            routes: [{ match: { host: a.example }, credential: x }]

            """)
        #expect(configuration.credentialNames == ["x", "y"])
        #expect(configuration.withUsedCredentials.credentialNames == ["x"])
    }

    @Test("Fetching a token by hand needs no route")
    func fetching() throws {
        var flags = Flags()
        flags.tokenFile = "/token"
        let configuration = try Configuration.load(
            flags: flags, environment: [:], files: FakeFiles.usual, for: .fetching)
        #expect(configuration.warnings == [])
    }

    @Test("Routes of one host get different names")
    func names() throws {
        let configuration = try load(
            """
            routes:
              - { match: { host: a.example, methods: [GET] } }
              - { match: { host: a.example, methods: [PUT] } }
              - { name: a.example-2, match: { host: b.example } }
              - { match: { host: a.example } }
              - { match: { host: "*.example" } }

            """)
        #expect(
            configuration.routes.map(\.name) == ["a.example", "a.example-3", "a.example-2", "a.example-4", "*.example"])
        #expect(configuration.warnings == [])
    }
}
