import ProxyConfiguration
import Testing
import TokenManager

@Suite("Every key of a credential: good, wrong type, out of range")
struct CredentialTableTests {
    /// `TYPE` followed by keys in flow style; the mapping begins in column 6 of line 2.
    private static let client = "type: clientCredentials, tokenUrl: https://i.example/t, clientId: c, clientSecret: s"
    private static let bound =
        "type: mobileClientAccess, appId: a, clientId: c, secret: s, serverUrl: https://m.example/x"
    private static let app = "type: appId, clientId: c, secret: s"

    static let common: [SettingCase] = [
        .init(client), .init("\(client), header: X-Token, scheme: none"), .init("\(client), scheme: Token"),
        .init("\(client), header: 'a b'", "credentials.x.header: is not a field name"),
        .init("\(client), header: Content-Length", "credentials.x.header: names a field that the proxy writes itself"),
        .init("\(client), header: host", "credentials.x.header: names a field that the proxy writes itself"),
        .init(
            "\(client), header: Proxy-Authorization",
            "credentials.x.header: names a field that the proxy writes itself"),
        .init("\(client), header: [a]", "credentials.x.header: is a list"),
        .init("\(client), scheme: 'a b'", "credentials.x.scheme: is not a single word"),
        .init("\(client), dpop: true"), .init("\(client), dpop: false, scheme: Token"),
        .init("\(client), dpop: { privateKey: { file: /p256.pem } }"),
        .init("\(client), dpop: yes", "credentials.x.dpop: is not a boolean"),
        .init("\(client), dpop: {}", "credentials.x.dpop: privateKey is missing"),
        .init(
            "\(client), dpop: { privateKey: { file: /rsa.pem } }",
            "credentials.x.dpop.privateKey: is not an EC key on P-256"),
        .init(
            "\(client), dpop: { privateKey: { file: /none } }",
            "credentials.x.dpop.privateKey.file: the file it names: no such file"),
        .init("\(client), dpop: true, header: X-Token", "credentials.x.header: has no use with dpop"),
        .init("\(client), dpop: true, scheme: Token", "credentials.x.scheme: has no use with dpop"),
        .init("type: file, path: /token, dpop: true", "credentials.x.dpop: unknown key"),
        .init("\(client), tls: { caFile: /ca.pem }"),
        .init("\(client), tls: { caFile: /none.pem }", "credentials.x.tls.caFile: the file it names: no such file"),
        .init(
            "\(client), tls: { caFile: /not-a-ca }", "credentials.x.tls.caFile: the file it names holds no certificate"),
        .init(
            "\(client), tls: { clientKey: /rsa.pem }", "credentials.x.tls.clientKey: needs clientCertificate beside it"),
        .init(
            "\(client), tls: { clientCertificate: /rsa-certificate.pem }",
            "credentials.x.tls.clientCertificate: needs clientKey beside it"),
        .init("\(client), tls: { clientCertificate: /rsa-certificate.pem, clientKey: /rsa.pem }"),
        .init(
            "\(client), tls: { clientCertificate: /rsa-certificate.pem, clientKey: /p256.pem }",
            "credentials.x.tls.clientCertificate: will not do: the client certificate and"),
        .init(
            "\(client), tls: { clientCertificate: /rsa-certificate.pem, clientKey: /ca.pem }",
            "credentials.x.tls.clientKey: is not a private key in PEM"),
        .init(
            "\(client), tls: { clientCertificate: /none, clientKey: /rsa.pem }",
            "credentials.x.tls.clientCertificate: the file it names: no such file"),
        .init("\(client), tls: true", "credentials.x.tls: is not a mapping"),
        .init("\(client), upstreamProxy: http://p", "credentials.x.upstreamProxy: is not supported yet"),
        .init("clientId: c", "credentials.x: type is missing; write mobileClientAccess, appId"),
        .init(
            "type: clientCredential",
            "credentials.x.type: is none of mobileClientAccess, appId, ibmIam, clientCredentials, jwtBearer, tokenExchange, refreshToken, file or static; did you mean clientCredentials?"
        ),
        .init("type: { a: b }", "credentials.x.type: is a mapping"),
    ]

    static let clientCredentials: [SettingCase] = [
        .init("\(client), clientAuthentication: basic"), .init("\(client), clientAuthentication: basicRaw"),
        .init("\(client), clientAuthentication: post"),
        .init(
            "\(client), clientAuthentication: basicraw",
            "credentials.x.clientAuthentication: is none of basic, basicRaw, post, clientSecretJwt, privateKeyJwt, mutualTls or none; did you mean basicRaw?"
        ),
        .init("\(client), issuer: https://i.example", "credentials.x.issuer: says where the token endpoint is"),
        .init("\(client), scope: a b:c"), .init("\(client), scope: 'a  b'", "credentials.x.scope: is not a scope"),
        .init("\(client), scope: '\"'", "credentials.x.scope: is not a scope"),
        .init("\(client), scope: [a, b]", "credentials.x.scope: is a list"),
        .init("\(client), scope: 'read:{host} write:{header:X-Tenant}'"),
        .init("\(client), scope: '{hosts}'", "credentials.x.scope: holds a brace that is no part of {host} or"),
        .init("\(client), scope: '{header:Cookie}'", "credentials.x.scope: names a field that cannot say which token"),
        .init("\(client), audience: a"),
        .init("\(client), audience: 'x{header:Y}'"),
        .init("\(client), audience: 'x{header:Y Z}'", "credentials.x.audience: names a field that cannot say"),
        .init("\(client), audience: ''", "credentials.x.audience: is empty"),
        .init("\(client), resource: https://a"), .init("\(client), resource: [https://a, https://b]"),
        .init("\(client), resource: [{}]", "credentials.x.resource[0]: is a mapping"),
        .init("\(client), resource: 'https://{host}/'"), .init("\(client), resource: ['{host}', 'b:c']"),
        .init(
            "\(client), resource: ['https://a.example/{header:X}', 'https://{host}/?{header:X}', 'urn:a:{header:X}']"),
        .init("\(client), resource: 'a-{header:X}', audience: '{header:Y}'"),
        .init("\(client), resource: '{header:X}'", "credentials.x.resource: lets a field of the request choose"),
        .init("\(client), resource: 'http{header:X}'", "credentials.x.resource: lets a field of the request choose"),
        .init("\(client), resource: 'HTTPS:{header:X}'", "credentials.x.resource: lets a field of the request choose"),
        .init(
            "\(client), resource: [https://a, 'https://{header:X}.example/']",
            "credentials.x.resource[1]: lets a field of the request choose"),
        .init(
            "\(client), resource: 'https://a.example{header:X}'",
            "credentials.x.resource: lets a field of the request choose"),
        .init(
            "\(client), resource: 'https://a.example:1{header:X}/{header:Y}'",
            "credentials.x.resource: lets a field of the request choose"),
        .init(
            "\(client), resource: 'https://a/%zz'",
            "credentials.x.resource: holds a % that two hexadecimal digits do not follow; write %25 for the character"),
        .init("\(client), resource: 'https://a/%4'", "credentials.x.resource: holds a %"),
        .init("\(client), resource: 'https://a/%{header:X}'", "credentials.x.resource: holds a %"),
        .init("\(client), resource: 'https://a/%2Fb%c3%A9'"),
        .init("\(client), resource: 'urn:example:api'"), .init("\(client), resource: 'https://a/b?c=d'"),
        .init(
            "\(client), resource: api",
            "credentials.x.resource: is not a URI with a scheme and without a fragment (RFC 8707); write one as in"),
        .init("\(client), resource: [https://a, /b]", "credentials.x.resource[1]: is not a URI with a scheme"),
        .init("\(client), resource: 'https://a/#b'", "credentials.x.resource: is not a URI with a scheme"),
        .init("\(client), resource: 'https://a/ b'", "credentials.x.resource: is not a URI with a scheme"),
        .init("\(client), resource: 'https:'", "credentials.x.resource: is not a URI with a scheme"),
        .init("\(client), resource: '1a:b'", "credentials.x.resource: is not a URI with a scheme"),
        .init("\(client), resource: ':b'", "credentials.x.resource: is not a URI with a scheme"),
        .init("\(client), resource: '{host'", "credentials.x.resource: holds a brace"),
        .init(
            "\(client), resource: []",
            "credentials.x.resource: is empty; write the resource that the token is for or leave the key out"),
        .init("\(client), parameters: ~", "credentials.x.parameters: has no value; write names and values"),
        .init(
            "type: clientCredentials, tokenUrl: 'https://i.example/{host}', clientId: c, clientSecret: s",
            "credentials.x.tokenUrl: {host} and {header:…} may stand in"),
        .init(
            "type: clientCredentials, tokenUrl: i.example/t, clientId: c, clientSecret: s",
            "credentials.x.tokenUrl: is not the address of a token server: the URL does not begin with http:// or https://; write one as in https://idp.example/token"
        ),
        .init(
            "type: clientCredentials, tokenUrl: https://i.example/t, clientId: '{header:X-Id}', clientSecret: s",
            "credentials.x.clientId: {host} and {header:…} may stand in"),
        .init(
            "\(client), parameters: { a: '{host}' }",
            "credentials.x.parameters.?: {host} and {header:…} may stand in"),
        .init("\(client), parameters: { tenant: north, b: '2' }"),
        .init("\(client), parameters: { scope: x }", "credentials.x.parameters.?: scope has a key of its own"),
        .init("\(client), parameters: { a: 1, a: 2 }", "credentials.x.parameters.?: is given twice"),
        .init("\(client), parameters: { a: [1] }", "credentials.x.parameters.?: is a list"),
        .init("\(client), parameters: { 'a b': 1 }", "credentials.x.parameters.?: is not a parameter's name"),
        .init("\(client), parameters: [a]", "credentials.x.parameters: is not a mapping"),
        .init("\(client), allowPlaintext: true"),
        .init("\(client), allowPlaintext: 1", "credentials.x.allowPlaintext: is not a boolean"),
        .init("\(client), tokenURL: x", "credentials.x.tokenURL: unknown key; did you mean tokenUrl?"),
        .init("\(client), secret: x", "credentials.x.secret: unknown key; the keys of type clientCredentials are"),
        .init(
            "type: clientCredentials, clientId: c, clientSecret: s",
            "credentials.x: tokenUrl is missing; write the URL of the token endpoint, or as issuer"),
        .init(
            "type: clientCredentials, tokenUrl: https://i.example, clientSecret: s",
            "credentials.x: clientId is missing"),
        .init(
            "type: clientCredentials, tokenUrl: https://i.example, clientId: c",
            "credentials.x: clientSecret is missing; write the secret, {file: path} or {env: NAME}"),
        .init(
            "type: clientCredentials, tokenUrl: http://i.example, clientId: c, clientSecret: s",
            "credentials.x.tokenUrl: would send the secret in plain text"),
        .init(
            "type: clientCredentials, tokenUrl: http://i.example, clientId: c, clientSecret: s, allowPlaintext: true"),
        .init("type: clientCredentials, tokenUrl: http://localhost:1/t, clientId: c, clientSecret: s"),
        .init("type: clientCredentials, tokenUrl: 'http://[0:0:0:0:0:0:0:1]:1/t', clientId: c, clientSecret: s"),
        .init(
            "type: clientCredentials, tokenUrl: http://127.evil.example/t, clientId: c, clientSecret: s",
            "credentials.x.tokenUrl: would send"),
        .init(
            "type: clientCredentials, tokenUrl: http://127.1/t, clientId: c, clientSecret: s",
            "credentials.x.tokenUrl: is neither"),
        .init(
            "type: clientCredentials, tokenUrl: https://u:p@i.example/t, clientId: c, clientSecret: s",
            "credentials.x.tokenUrl: is not the address of a token server"),
        .init(
            "type: clientCredentials, tokenUrl: idp, clientId: c, clientSecret: s",
            "credentials.x.tokenUrl: is not the address of a token server"),
        .init("\(client.replacing("clientId: c", with: "clientId: 'a:b'"))"),
        .init(
            "\(client.replacing("clientId: c", with: "clientId: 'a:b'")), clientAuthentication: basicRaw",
            "credentials.x.clientId: holds a colon"),
    ]

    static let secrets: [SettingCase] = [
        ("s", nil), ("'~'", nil), ("12345", nil), ("true", nil), ("{ file: /secret }", nil), ("{ env: SECRET }", nil),
        ("/secret", "is the path of a file and not the secret; write {file: path}"), ("/s3cret", nil),
        ("", "has no value; write the secret"), ("''", "is empty"), ("[s]", "is a list"),
        ("\"a\\nb\"", "holds a line break"),
        ("\"a\\0b\"", "holds a line break"), ("{}", "must have exactly one of its keys"),
        ("{ file: /secret, env: SECRET }", "must have exactly one of its keys"),
        ("{ file: /none }", "the file it names: no such file"), ("{ file: /empty }", "the file it names is empty"),
        ("{ env: UNSET }", "the environment variable that it names is not set"),
        ("{ env: EMPTY }", "the environment variable that"),
        ("{ file: }", "has no value; write a path"), ("{ env: [a] }", "is a list"),
    ].map { value, problem in
        let path = value.contains("/none") || value.contains("/empty") || value.contains("file: }") ? ".file" : ""
        let place = value.contains("UNSET") || value.contains("EMPTY") || value.contains("env: [") ? ".env" : path
        return SettingCase(
            "type: static, value: \(value)", problem.map { "credentials.x.value\(place): \($0)" })
    }

    static let others: [SettingCase] = [
        .init(bound), .init("\(bound), tls: { caFile: /ca.pem }"),
        .init("\(bound), properties: p", "credentials.x.properties: is sent with a certificate only"),
        .init("\(bound), scope: a", "credentials.x.scope: unknown key; the keys of type mobileClientAccess are"),
        .init("\(bound.replacing("appId: a", with: "appId: '{host}'"))"),
        .init("\(bound.replacing("appId: a", with: "appId: 'a}'"))", "credentials.x.appId: holds a brace"),
        .init(
            "\(bound.replacing("appId: a, ", with: ""))", "credentials.x: appId is missing; write it, or bind the app"),
        .init("\(bound.replacing("clientId: c, ", with: ""))", "credentials.x: clientId is missing; write it, or bind"),
        .init("\(bound.replacing("secret: s, ", with: ""))", "credentials.x: secret is missing; write it, or bind"),
        .init(
            "type: mobileClientAccess, appId: a, clientId: c, secret: s",
            "credentials.x: serverUrl is missing; write it"),
        .init(
            "\(bound.replacing("https:", with: "http:"))",
            "credentials.x.serverUrl: would send the secret in plain text"),
        .init("\(bound.replacing("https:", with: "http:")), allowPlaintext: true"),
        .init("\(bound.replacing("clientId: c", with: "clientId: 'a:b'"))", "credentials.x.clientId: holds a colon"),
        .init("\(app), oauthServerUrl: https://a.example/oauth/v4/t"),
        .init("\(app), endpoint: https://a.example, tenantId: t"),
        .init("\(app), endpoint: https://a.example, tenantId: t, version: 3"),
        .init("\(app), endpoint: https://a.example, tenantId: t, version: 0", "credentials.x.version: is out of range"),
        .init("\(app), endpoint: https://a.example", "credentials.x: tenantId is missing"),
        .init("\(app), tenantId: t", "credentials.x: endpoint is missing"),
        .init(
            "\(app), endpoint: https://a.example, tenantId: t, oauthServerUrl: https://a.example",
            "credentials.x.oauthServerUrl: is made of endpoint"),
        .init(app, "credentials.x: oauthServerUrl is missing"),
        .init("type: file, path: /token"),
        .init("type: file, path: /none", "credentials.x.path: the file it names: no such file"),
        .init("type: file", "credentials.x: path is missing"),
        .init("type: file, path: [a]", "credentials.x.path: is a list"),
        .init(
            "type: file, path: /token, clientId: c",
            "credentials.x.clientId: unknown key; the keys of type file are type, header, scheme or path"),
        .init("type: static, value: v, header: X-Api-Key, scheme: none"),
        .init("type: static", "credentials.x: value is missing"),
        .init("type: static, value: Bearer v", "credentials.x.value: holds characters that a bearer token cannot"),
        .init("type: static, value: Bearer v, scheme: none"),
        .init("type: static, value: 'u:p', scheme: Basic", "credentials.x.value: holds characters that HTTP Basic"),
        .init("type: static, value: dTpw, scheme: Basic"),
    ]

    @Test("One credential, one verdict with its place", arguments: common + clientCredentials + secrets + others)
    func verdict(credential: SettingCase) {
        let text = "credentials:\n  x: { \(credential.text) }\nunmatched: forward\n"
        let found = problems(text, environment: ["SECRET": "env-secret", "EMPTY": ""])
        guard let problem = credential.problem else {
            #expect(found == [])
            return
        }
        #expect(found.first?.hasPrefix("a.yaml:2:") == true)
        #expect(found.first?.contains(": \(problem)") == true, "\(found)")
        #expect(found.count == 1, "\(found)")
    }

    @Test("What is read is what was written")
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
        "Names are words, used once, and not none",
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
