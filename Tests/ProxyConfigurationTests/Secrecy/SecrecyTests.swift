import ProxyConfiguration
import Testing

@Suite("No secret in any message")
struct SecrecyTests {
    static let canary = "cAnArY5ecret"

    /// Every place where a secret may stand, and every place where one lands by mistake.
    static let places = [
        "credentials: { x: { type: static, value: SECRET } }",
        "credentials: { x: { type: static, value: \"SECRET\\n2\" } }",
        "credentials: { x: { type: static, value: [SECRET] } }",
        "credentials: { x: { type: static, value: { SECRET } } }",
        "credentials: { x: { type: static, value: { SECRET: x } } }",
        "credentials: { x: { type: static, value: { file: SECRET } } }",
        "credentials: { x: { type: static, value: { env: SECRET } } }",
        "credentials: { x: { type: static, value: { envv: SECRET } } }",
        "credentials: { x: { type: static, value:SECRET } }",
        "credentials: { x: { type: static, value: !!str SECRET } }",
        "credentials: { x: { type: static, value: &SECRET a } }",
        "credentials: { x: { type: static, value: *SECRET } }",
        "credentials: { x: { type: static, vaule: SECRET } }",
        "credentials: { x: { type: static, SECRET } }", "credentials: { x: { type: SECRET } }",
        "credentials: { x: { type: static, value: a, header: 'SECRET 1' } }",
        "credentials: { x: { type: static, value: a, scheme: 'SECRET 1' } }",
        "credentials: { x: { type: file, path: SECRET } }", "credentials: { x: SECRET }", "credentials: SECRET",
        "credentials: [SECRET]",
        "credentials:\n  x:\n    type: clientCredentials\n    clientSecret:SECRET\n    clientId: a",
        "credentials:\n  x:\n    type: clientCredentials\n    clientSecret: SECRET\n   clientId: a",
        "credentials:\n  x:\n    clientSecret: SECRET: a", "credentials:\n  x:\n    clientSecret: 'SECRET",
        "credentials:\n  x:\n    clientSecret: |\n     SECRET\n   a", "credentials:\n  x:\n    clientSecret: %SECRET",
        "credentials:\n  x:\n    clientSecret: @SECRET", "credentials:\n  x:\n    clientSecret: `SECRET",
        "credentials: { x: { type: clientCredentials, tokenUrl: 'https://u:SECRET@i.example', clientId: a, clientSecret: b } }",
        "credentials: { x: { type: clientCredentials, tokenUrl: SECRET, clientId: SECRET, clientSecret: { SECRET: SECRET } } }",
        "credentials: { x: { type: clientCredentials, clientAuthentication: SECRET, scope: '\"SECRET', audience: [SECRET] } }",
        "credentials: { x: { type: clientCredentials, resource: [[SECRET]], parameters: { password: [SECRET] } } }",
        "credentials: { x: { type: clientCredentials, parameters: { 'SECRET ': a, scope: SECRET, b: '{host}SECRET' } } }",
        "credentials: { x: { type: clientCredentials, parameters: { SECRET, SECRET } } }",
        "credentials: { x: { type: clientCredentials, parameters: SECRET, tls: { caFile: SECRET } } }",
        "credentials: { x: { type: mobileClientAccess, secret: [SECRET], serverUrl: 'https://u:SECRET@m', appId: '{host}SECRET' } }",
        "credentials: { x: { type: appId, secret: { a: SECRET }, endpoint: SECRET, tenantId: [SECRET], version: SECRET } }",
        "credentials: { x: { type: clientCredentials, scope: '{header:SECRET 1}', audience: '{SECRET}', resource: 'SECRET}' } }",
        "credentials: { x: { type: tokenExchange, subjectToken: { header: SECRET, SECRET: a } } }",
        "credentials: { x: { type: ibmIam, apikey: [SECRET], tokenUrl: 'https://u:SECRET@i.example' } }",
        "credentials: { x: { type: ibmIam, apikey: SECRET, apiKey: SECRET } }",
        "credentials: { x: { type: jwtBearer, issuer: 'https://u:SECRET@i.example', assertion: SECRET } }",
        "credentials: { x: { type: jwtBearer, tokenUrl: 'https://i.example', assertion: { SECRET } } }",
        "credentials: { x: { type: jwtBearer, tokenUrl: 'https://i.example', assertion: { SECRET: SECRET } } }",
        "credentials: { x: { type: jwtBearer, assertion: { privateKey: SECRET, algorithm: SECRET, lifetime: SECRET } } }",
        "credentials: { x: { type: jwtBearer, assertion: { privateKey: [SECRET], claims: { 'SECRET ': a, b: [SECRET] } } } }",
        "credentials: { x: { type: jwtBearer, assertion: { file: SECRET, env: SECRET, keyId: SECRET } } }",
        "credentials: { x: { type: clientCredentials, clientAuthentication: privateKeyJwt, clientAssertion: SECRET } }",
        "credentials: { x: { type: clientCredentials, clientAuthentication: none, clientSecret: SECRET } }",
        "credentials: { x: { type: clientCredentials, clientAuthentication: mutualTls, tls: { clientKey: SECRET, clientCertificate: [SECRET] } } }",
        "credentials: { x: { type: tokenExchange, subjectToken: [SECRET], subjectTokenType: SECRET, actorToken: { SECRET } } }",
        "credentials: { x: { type: refreshToken, refreshToken: SECRET, clientId: [SECRET] } }",
        "credentials: { x: { type: refreshToken, refreshToken: { SECRET: a, file: SECRET } } }",
        "credentials: { x: { type: mobileClientAccess, certificate: SECRET, privateKey: SECRET, properties: [SECRET] } }",
        "routes: [{ match: { host: 'u:SECRET@a' }, upstream: 'https://u:SECRET@a.example' }]",
        "routes: [{ match: { host: a }, upstream: 'https://a.example?key=SECRET' }]",
        "listeners: [{ address: 'u:SECRET@a' }]", "listeners: SECRET", "SECRET", "- SECRET", "'SECRET", "SECRET: [",
        "\u{0}SECRET",
    ]

    @Test("No problem shows a secret, wherever in the file it is", arguments: places)
    func file(place: String) {
        let text = place.replacing("SECRET", with: Self.canary)
        do throws(ConfigurationError) {
            let configuration = try load(text + "\nunmatched: forward\n")
            expectNoCanary(configuration)
        } catch {
            expectNoCanary(error)
        }
    }

    @Test(
        "No problem shows a secret, wherever in the environment it is",
        arguments: [
            "ATTACHE_BACKEND", "ATTACHE_LISTEN", "ATTACHE_ADMIN", "ATTACHE_ALLOW_NON_LOOPBACK",
            "ATTACHE_ALLOW_PLAINTEXT",
            "ATTACHE_TOKEN_URL", "ATTACHE_CLIENT_ID", "ATTACHE_CLIENT_SECRET", "ATTACHE_CLIENT_SECRET_FILE",
            "ATTACHE_SCOPE", "ATTACHE_TOKEN_FILE", "ATTACHE_ACCESS_LOG", "ATTACHE_WORKERS", "ATTACHE_DRAIN_DELAY",
            "ATTACHE_GRACE_PERIOD", "ATTACHE_SECRET", "VCAP_SERVICES", "VCAP_APPLICATION",
        ])
    func environment(variable: String) {
        let isNearSecrets = ["TOKEN", "CLIENT", "SCOPE", "SECRET", "VCAP"].contains { variable.contains($0) }
        let bare = isNearSecrets ? [Self.canary, "\"\(Self.canary)\n\"", "/\(Self.canary)/x"] : []
        for value in bare + ["https://u:\(Self.canary)@a.example", "https://a.example?key=\(Self.canary)"] {
            var environment = [
                "ATTACHE_BACKEND": "https://a.example", "ATTACHE_TOKEN_URL": "https://i.example",
                "ATTACHE_CLIENT_ID": "c", "ATTACHE_CLIENT_SECRET": Self.canary,
            ]
            environment[variable] = value
            do throws(ConfigurationError) {
                expectNoCanary(ConfigurationSummary(try start(Flags(), environment)))
            } catch {
                expectNoCanary(error)
            }
        }
    }

    @Test("A valid configuration shows its secrets in no description or reflection")
    func descriptions() throws {
        let configuration = try load(
            """
            credentials:
              a: { type: clientCredentials, tokenUrl: "https://i.example/t?key=\(Self.canary)", clientId: c, clientSecret: \(Self.canary),
                   parameters: { password: \(Self.canary) } }
              b: { type: mobileClientAccess, appId: a, clientId: c, secret: \(Self.canary), serverUrl: "https://m.example" }
              c: { type: appId, clientId: c, secret: \(Self.canary), oauthServerUrl: "https://a.example" }
              d: { type: static, value: \(Self.canary) }
              e: { type: ibmIam, apikey: \(Self.canary) }
              f: { type: tokenExchange, tokenUrl: "https://i.example", subjectToken: \(Self.canary) }
              g: { type: jwtBearer, tokenUrl: "https://i.example",
                   assertion: { privateKey: { file: /rsa.pem }, issuer: i, claims: { password: \(Self.canary) } } }
            routes: [{ match: { host: a.example }, credential: a }]
            """)
        #expect(!ConfigurationSummary(configuration).description.contains(Self.canary))
        var dumped = ""
        dump(configuration.credentials.dropFirst(), to: &dumped)
        #expect(!dumped.contains(Self.canary))
        #expect(!"\(configuration.credentials.dropFirst())".contains(Self.canary))
    }

    private func expectNoCanary(_ value: some Any, sourceLocation: SourceLocation = #_sourceLocation) {
        var text = "\(value)"
        dump(value, to: &text)
        #expect(!text.contains(Self.canary), "\(text)", sourceLocation: sourceLocation)
    }
}
