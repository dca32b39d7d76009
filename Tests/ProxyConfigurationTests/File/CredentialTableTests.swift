import ProxyConfiguration
import Testing
import TokenManager

@Suite("Every key of a credential")
struct CredentialTableTests {
    /// `TYPE` followed by keys in flow style; the mapping begins in column 6 of line 2.
    private static let client = "type: clientCredentials, tokenUrl: https://i.example/t, clientId: c, clientSecret: s"
    private static let bound =
        "type: mobileClientAccess, appId: a, clientId: c, secret: s, serverUrl: https://m.example/x"
    private static let app = "type: appId, clientId: c, secret: s"

    static let common = [
        client,
        "\(client), header: X-Token, scheme: none",
        "\(client), scheme: Token",
        "\(client), required: false",
        "\(client), dpop: true",
        "\(client), dpop: false, scheme: Token",
        "\(client), dpop: { privateKey: { file: /p256.pem } }",
        "\(client), tls: { caFile: /ca.pem }",
        "\(client), tls: { clientCertificate: /rsa-certificate.pem, clientKey: /rsa.pem }",
    ]

    static let clientCredentials = [
        "\(client), clientAuthentication: basic",
        "\(client), clientAuthentication: basicRaw",
        "\(client), clientAuthentication: post",
        "\(client), scope: a b:c",
        "\(client), scope: 'read:{host} write:{header:X-Tenant}'",
        "\(client), audience: a",
        "\(client), audience: 'x{header:Y}'",
        "\(client), resource: https://a",
        "\(client), resource: [https://a, https://b]",
        "\(client), resource: 'https://{host}/'",
        "\(client), resource: ['{host}', 'b:c']",
        "\(client), resource: ['https://a.example/{header:X}', 'https://{host}/?{header:X}', 'urn:a:{header:X}']",
        "\(client), resource: 'a-{header:X}', audience: '{header:Y}'",
        "\(client), resource: 'https://a/%2Fb%c3%A9'",
        "\(client), resource: 'urn:example:api'",
        "\(client), resource: 'https://a/b?c=d'",
        "\(client), parameters: { tenant: north, b: '2' }",
        "\(client), allowPlaintext: true",
        "type: clientCredentials, tokenUrl: http://i.example, clientId: c, clientSecret: s, allowPlaintext: true",
        "type: clientCredentials, tokenUrl: http://localhost:1/t, clientId: c, clientSecret: s",
        "type: clientCredentials, tokenUrl: 'http://[0:0:0:0:0:0:0:1]:1/t', clientId: c, clientSecret: s",
        "\(client.replacing("clientId: c", with: "clientId: 'a:b'"))",
    ]

    static let secrets = [
        "s", "'~'", "12345", "true", "{ file: /secret }", "{ env: SECRET }", "/s3cret",
    ].map { "type: static, value: \($0)" }

    static let others = [
        bound,
        "\(bound), tls: { caFile: /ca.pem }",
        "\(bound.replacing("appId: a", with: "appId: '{host}'"))",
        "\(bound.replacing("https:", with: "http:")), allowPlaintext: true",
        "\(app), oauthServerUrl: https://a.example/oauth/v4/t",
        "\(app), endpoint: https://a.example, tenantId: t",
        "\(app), endpoint: https://a.example, tenantId: t, version: 3",
        "type: file, path: /token",
        "type: static, value: v, header: X-Api-Key, scheme: none",
        "type: static, value: Bearer v, scheme: none",
        "type: static, value: dTpw, scheme: Basic",
    ]

    @Test("A valid credential is accepted", arguments: common + clientCredentials + secrets + others)
    func accepted(credential: String) {
        let text = "credentials:\n  x: { \(credential) }\nunmatched: forward\n"
        #expect(problems(text, environment: ["SECRET": "env-secret"]) == [])
    }

    @Test("The settings are read as they are written")
    func values() throws {
        let configuration = try load(
            """
            credentials:
              a: { type: clientCredentials, tokenUrl: "https://i.example/t?x=1", clientId: c, clientSecret: { file: /secret },
                   clientAuthentication: post, scope: r w, audience: aud, resource: [r:1, r:2], parameters: { p: v },
                   tls: { caFile: /ca.pem }, header: X-T, scheme: none }
              b: { type: mobileClientAccess, appId: ap, clientId: c, secret: s, serverUrl: "https://m.example/imf" }
              c: { type: appId, clientId: c, secret: { env: SECRET }, endpoint: "https://a.example", tenantId: t }
              d: { type: file, path: /token }
              e: { type: static, value: v, scheme: Token }
            unmatched: forward
            """, environment: ["SECRET": "x"])
        #expect(
            configuration.credentials == [
                CredentialConfiguration(
                    name: "a",
                    source: .clientCredentials(
                        ClientCredentials(
                            endpoint: .url(try TokenURL("https://i.example/t?x=1")),
                            client: OAuthClient(id: "c", authentication: .post(.file(path: "/secret"))),
                            access: RequestedAccess(
                                scope: "r w", audience: "aud", resource: ["r:1", "r:2"],
                                parameters: [TokenParameter(name: "p", value: "v")]),
                            tls: TLSSettings(caFile: "/ca.pem"))),
                    header: "X-T", scheme: nil),
                CredentialConfiguration(
                    name: "b",
                    source: .mobileClientAccess(
                        MobileClientAccess(
                            serverURL: try TokenURL("https://m.example/imf"), appID: "ap",
                            authentication: .secret(clientID: "c", .literal("s"))))),
                CredentialConfiguration(
                    name: "c",
                    source: .appId(
                        AppID(
                            oauthServerURL: try TokenURL("https://a.example/oauth/v4/t"), clientID: "c",
                            clientSecret: .environment(name: "SECRET")))),
                CredentialConfiguration(name: "d", source: .file(path: "/token")),
                CredentialConfiguration(name: "e", source: .fixed(.literal("v")), scheme: "Token"),
            ])
    }

    @Test(
        "A name is a word, used once, and not none",
        arguments: [
            ("none: { type: file, path: /token }", "2:3: credentials.none: is not a name for a credential"),
            ("'a b': { type: file, path: /token }", "2:3: credentials.?: is not a name for a credential"),
            (
                "x: { type: file, path: /token }\n  x: { type: file, path: /token }",
                "3:3: credentials.x: is given twice"
            ),
            ("- a", "2:3: credentials: is not a mapping"),
            ("x:", "2:5: credentials.x: has no value; write its keys below it"),
        ])
    func names(text: String, problem: String) {
        let found = problems("credentials:\n  \(text)\nunmatched: forward\n")
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("a.yaml:\(problem)") == true, "\(found)")
    }
}
