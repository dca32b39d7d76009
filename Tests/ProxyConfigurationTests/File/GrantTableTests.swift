import ProxyConfiguration
import Testing
import TokenManager

@Suite("Client authentication, assertions and the other grants: good and wrong")
struct GrantTableTests {
    private static let bare = "type: clientCredentials, tokenUrl: https://i.example/t, clientId: c"
    private static let bearer = "type: jwtBearer, tokenUrl: https://i.example/t"
    private static let exchange = "type: tokenExchange, tokenUrl: https://i.example/t"
    private static let refresh = "type: refreshToken, tokenUrl: https://i.example/t, clientId: c"
    private static let mobile = "type: mobileClientAccess, appId: a, serverUrl: https://m.example/x"

    private static func key(_ more: String = "") -> String {
        "\(bare), clientAuthentication: privateKeyJwt, clientAssertion: { privateKey: { file: /rsa.pem }\(more) }"
    }

    static let authentication: [SettingCase] = [
        .init(key()), .init(key(", algorithm: PS256, keyId: k, audience: a, lifetime: 5m")),
        .init(key(", certificate: { file: /rsa-certificate.pem }")),
        .init(key(", algorithm: ES256"), "credentials.x.clientAssertion.privateKey: is not for ES256"),
        .init(key(", algorithm: HS256"), "credentials.x.clientAssertion.algorithm: is none of RS256, PS256, ES256"),
        .init(key(", lifetime: 0s"), "credentials.x.clientAssertion.lifetime: is out of range"),
        .init(key(", lifetime: 2h"), "credentials.x.clientAssertion.lifetime: is out of range"),
        .init(key(", audience: 'https://{host}'"), "credentials.x.clientAssertion.audience: {host} and {header:…} may"),
        .init(key(", issuer: me"), "credentials.x.clientAssertion: unknown key; the keys of an assertion are"),
        .init(
            key(", file: /token"), "credentials.x.clientAssertion: unknown key; the keys of an assertion that is not"),
        .init(
            key(", certificate: { file: /ca.pem }"),
            "credentials.x.clientAssertion.certificate: will not do: the client certificate is not"),
        .init(
            "\(bare), clientAuthentication: privateKeyJwt, clientAssertion: { privateKey: { file: /p256.pem }, certificate: { file: /rsa-certificate.pem } }",
            "credentials.x.clientAssertion.certificate: will not do"),
        .init(
            "\(bare), clientAuthentication: privateKeyJwt, clientAssertion: { privateKey: { file: /ca.pem } }",
            "credentials.x.clientAssertion.privateKey: is not a private key in PEM"),
        .init("\(bare), clientAuthentication: privateKeyJwt, clientAssertion: { file: /token }"),
        .init("\(bare), clientAuthentication: privateKeyJwt, clientAssertion: { env: SECRET }"),
        .init(
            "\(bare), clientAuthentication: privateKeyJwt, clientAssertion: text",
            "credentials.x.clientAssertion: is not a mapping"),
        .init(
            "\(bare), clientAuthentication: privateKeyJwt, clientAssertion: { keyId: k }",
            "credentials.x.clientAssertion: privateKey is missing"),
        .init("\(bare), clientAuthentication: privateKeyJwt", "credentials.x: clientAssertion is missing"),
        .init(
            key() + ", clientSecret: s", "credentials.x.clientSecret: has no use with clientAuthentication privateKey"),
        .init("\(bare), clientAuthentication: clientSecretJwt, clientSecret: s"),
        .init("\(bare), clientAuthentication: clientSecretJwt, clientSecret: s, clientAssertion: { audience: a }"),
        .init(
            "\(bare), clientAuthentication: clientSecretJwt, clientSecret: s, clientAssertion: { privateKey: x }",
            "credentials.x.clientAssertion: unknown key"),
        .init("\(bare), clientAuthentication: clientSecretJwt", "credentials.x: clientSecret is missing"),
        .init(
            "\(bare), clientAuthentication: mutualTls, tls: { clientCertificate: /rsa-certificate.pem, clientKey: /rsa.pem }"
        ),
        .init("\(bare), clientAuthentication: mutualTls", "credentials.x: tls.clientCertificate is missing"),
        .init(
            "type: clientCredentials, tokenUrl: http://localhost/t, clientId: c, clientAuthentication: mutualTls, tls: { clientCertificate: /rsa-certificate.pem, clientKey: /rsa.pem }",
            "credentials.x.tls.clientCertificate: has no use with an http:// token server; use https:// or remove it"),
        .init(
            "type: ibmIam, apikey: a, tokenUrl: http://i.example/t, allowPlaintext: true, tls: { clientCertificate: /rsa-certificate.pem, clientKey: /rsa.pem }",
            "credentials.x.tls.clientCertificate: has no use with an http:// token server; use https:// or remove it"),
        .init("\(bare), clientAuthentication: none"),
        .init(
            "\(bare), clientAuthentication: client_secret_basic, clientSecret: s",
            "credentials.x.clientAuthentication: is none of basic, basicRaw, post, clientSecretJwt, privateKeyJwt, mutualTls or none; did you mean basic?"
        ),
        .init(
            "\(bare), clientAuthentication: tls_client_auth",
            "credentials.x.clientAuthentication: is none of basic, basicRaw, post, clientSecretJwt, privateKeyJwt, mutualTls or none; did you mean mutualTls?"
        ),
        .init("\(bare), clientAuthentication: none, clientSecret: s", "credentials.x.clientSecret: has no use with"),
        .init("\(bare), clientSecret: s, clientAssertion: {}", "credentials.x.clientAssertion: has no use with"),
    ]

    static let discovery: [SettingCase] = [
        .init("type: clientCredentials, issuer: https://i.example/realms/a, clientId: c, clientSecret: s"),
        .init("type: clientCredentials, issuer: http://127.0.0.1:1, clientId: c, clientSecret: s"),
        .init("type: clientCredentials, issuer: http://i.example, clientId: c, clientSecret: s, allowPlaintext: true"),
        .init(
            "type: clientCredentials, issuer: http://i.example, clientId: c, clientSecret: s",
            "credentials.x.issuer: would send the secret in plain text"),
        .init(
            "type: clientCredentials, issuer: 'https://i.example?a=b', clientId: c, clientSecret: s",
            "credentials.x.issuer: is not an issuer: the URL holds a query"),
        .init(
            "type: clientCredentials, issuer: https://i.example/.well-known/openid-configuration, clientId: c, clientSecret: s",
            "credentials.x.issuer: is the address of the metadata; write the issuer that it names"),
        .init(
            "type: clientCredentials, issuer: i.example, clientId: c, clientSecret: s",
            "credentials.x.issuer: is not the address of a token server"),
    ]

    static let grants: [SettingCase] = [
        .init("type: ibmIam, apikey: k"),
        .init("type: ibmIam, apikey: { file: /secret }, tokenUrl: https://iam.example/t"),
        .init("type: ibmIam", "credentials.x: apikey is missing"),
        .init("type: ibmIam, apiKey: k", "credentials.x: apikey is missing"),
        .init(
            "type: ibmIam, apikey: k, tokenUrl: http://iam.example/t", "credentials.x.tokenUrl: would send the secret"),
        .init("\(bearer), assertion: { file: /token }"),
        .init(
            "\(bearer), assertion: { privateKey: { file: /rsa.pem }, issuer: me, subject: you, claims: { scope: a } }"),
        .init("\(bearer), assertion: { privateKey: { file: /rsa.pem } }", "credentials.x.assertion: issuer is missing"),
        .init(
            "\(bearer), assertion: { privateKey: { file: /rsa.pem }, issuer: [me] }",
            "credentials.x.assertion.issuer: is a list; write who signs"),
        .init(
            "\(bearer), assertion: { privateKey: { file: /rsa.pem }, issuer: me, subject: '{header:X-User}' }",
            "credentials.x.assertion.subject: {host} and {header:…} may stand in"),
        .init("\(bearer), assertion: { privateKey: { file: /rsa.pem } }, clientId: c, clientSecret: s"),
        .init(
            "\(bearer), assertion: { privateKey: { file: /rsa.pem }, issuer: me, claims: { aud: x } }",
            "credentials.x.assertion.claims.?: aud has a key of its own"),
        .init("\(bearer), assertion: { file: /token }, clientId: c, clientAuthentication: none"),
        .init(
            "\(bearer), assertion: { file: /token }, clientSecret: s", "credentials.x.clientSecret: belongs to a client"
        ),
        .init(bearer, "credentials.x: assertion is missing"),
        .init("\(exchange), subjectToken: { file: /token }"),
        .init(
            "\(exchange), subjectToken: { file: /token }, subjectTokenType: access_token, actorToken: { file: /secret }, actorTokenType: 'urn:x:y', requestedTokenType: jwt, audience: a, resource: r:1, scope: s"
        ),
        .init(
            "\(exchange), subjectToken: t, subjectTokenType: bearer", "credentials.x.subjectTokenType: is not a type"),
        .init("\(exchange), subjectToken: t, requestedTokenType: x", "credentials.x.requestedTokenType: is not a type"),
        .init("\(exchange), subjectToken: t, actorTokenType: jwt", "credentials.x.actorTokenType: is the type of a"),
        .init(exchange, "credentials.x: subjectToken is missing"),
        .init("\(refresh), clientSecret: s, refreshToken: { file: /refresh }"),
        .init("\(refresh), clientAuthentication: none, refreshToken: { file: /refresh }, scope: a"),
        .init("\(refresh), clientSecret: s, refreshToken: t", "credentials.x.refreshToken: must be { file: … }"),
        .init(
            "\(refresh), clientSecret: s, refreshToken: { env: SECRET }", "credentials.x.refreshToken: file is missing"),
        .init("\(refresh), clientSecret: s", "credentials.x: refreshToken is missing"),
        .init(
            "\(refresh), clientSecret: s, refreshToken: { file: /refresh }, scope: '{host}'",
            "credentials.x.scope: holds {host} or {header:…}, and a refresh token is good for one token"),
        .init("\(refresh), clientSecret: s, refreshToken: { file: /refresh }, dpop: true"),
        .init(
            "\(refresh), clientAuthentication: none, refreshToken: { file: /refresh }, dpop: { privateKey: { file: /p256.pem } }"
        ),
        .init("\(refresh), clientAuthentication: none, refreshToken: { file: /refresh }, dpop: false"),
        .init(
            "\(refresh), clientAuthentication: none, refreshToken: { file: /refresh }, dpop: true",
            "credentials.x.dpop: would bind a public client's refresh token to a key that ends with the process (RFC 9449 section 5); write dpop: { privateKey: { file: … } }"
        ),
        .init(
            "\(refresh), clientSecret: s, refreshToken: { file: /refresh }, resource: [https://a, 'https://{host}/']",
            "credentials.x.resource[1]: holds {host} or {header:…}"),
        .init(
            "\(refresh), clientSecret: s, refreshToken: { file: /refresh }, scope: a, scope: b",
            "credentials.x.scope: is given twice"),
        .init("\(exchange), subjectToken: { header: Authorization }"),
        .init("\(exchange), subjectToken: { header: authorization }, subjectTokenType: jwt, scope: '{host}'"),
        .init(
            "\(exchange), subjectToken: { header: X-Token }",
            "credentials.x.subjectToken.header: is not the field that carries the app's token; write Authorization"),
        .init("\(exchange), subjectToken: { header: }", "credentials.x.subjectToken.header: has no value"),
        .init("\(mobile), certificate: { file: /rsa-certificate.pem }, privateKey: { file: /rsa.pem }, properties: p"),
        .init("\(mobile), certificate: { file: /rsa-certificate.pem }", "credentials.x: privateKey is missing"),
        .init("\(mobile), privateKey: { file: /rsa.pem }", "credentials.x: certificate is missing"),
        .init(
            "\(mobile), certificate: { file: /rsa-certificate.pem }, privateKey: { file: /p256.pem }",
            "credentials.x.privateKey: is not for RS256"),
        .init(
            "\(mobile), secret: s, certificate: { file: /rsa-certificate.pem }, privateKey: { file: /rsa.pem }",
            "credentials.x.secret: has no use beside a certificate"),
        .init("type: appId, clientId: c, secret: s, oauthServerUrl: https://a.example, assertion: { file: /token }"),
        .init(
            "type: appId, clientId: c, secret: s, oauthServerUrl: https://a.example, assertion: { privateKey: { file: /rsa.pem }, subject: u }"
        ),
        .init("type: static, value: dXNlcjpwYXNz, scheme: Basic"),
        .init("type: file, path: /token, header: X-Api-Key, scheme: ApiKey"),
    ]

    @Test("One credential, one verdict with its place", arguments: authentication + discovery + grants)
    func verdict(credential: SettingCase) {
        let text = "credentials:\n  x: { \(credential.text) }\nunmatched: forward\n"
        let found = problems(text, environment: ["SECRET": "env-secret"])
        guard let problem = credential.problem else {
            #expect(found == [])
            return
        }
        #expect(found.first?.hasPrefix("a.yaml:2:") == true)
        #expect(found.first?.contains(": \(problem)") == true, "\(found)")
    }

    @Test("What is read is what was written")
    func values() throws {
        let configuration = try load(
            """
            credentials:
              a: { type: clientCredentials, issuer: "https://i.example/a", clientId: c, clientAuthentication: privateKeyJwt,
                   clientAssertion: { privateKey: { file: /rsa.pem }, algorithm: PS256, keyId: k, audience: aud, lifetime: 5m,
                                      certificate: { file: /rsa-certificate.pem } } }
              b: { type: jwtBearer, tokenUrl: "https://i.example/t", scope: s,
                   assertion: { privateKey: { file: /p256.pem }, issuer: me, subject: you, claims: { x: y } } }
              c: { type: tokenExchange, tokenUrl: "https://i.example/t", clientId: c, clientAuthentication: mutualTls,
                   tls: { clientCertificate: /rsa-certificate.pem, clientKey: /rsa.pem },
                   subjectToken: { file: /token }, subjectTokenType: id_token, requestedTokenType: "urn:r" }
              d: { type: refreshToken, tokenUrl: "https://i.example/t", clientId: c, clientAuthentication: none,
                   refreshToken: { file: /refresh } }
              e: { type: ibmIam, apikey: k }
            unmatched: forward
            """)
        let url = TokenEndpoint.url(try TokenURL("https://i.example/t"))
        let assertion = SignedAssertion(
            privateKey: .file(path: "/rsa.pem"), algorithm: .ps256, keyID: "k",
            certificate: .file(path: "/rsa-certificate.pem"), audience: "aud", lifetime: .seconds(300))
        let subject = SignedAssertion(
            privateKey: .file(path: "/p256.pem"), issuer: "me", subject: "you",
            claims: [TokenParameter(name: "x", value: "y")])
        let certificate = ClientCertificate(
            certificate: .file(path: "/rsa-certificate.pem"), privateKey: .file(path: "/rsa.pem"))
        let expected: [CredentialSource] = [
            .clientCredentials(
                ClientCredentials(
                    endpoint: .issuer(try Issuer("https://i.example/a")),
                    client: OAuthClient(id: "c", authentication: .privateKeyJwt(.signed(assertion))))),
            .jwtBearer(JWTBearer(endpoint: url, assertion: .signed(subject), access: RequestedAccess(scope: "s"))),
            .tokenExchange(
                TokenExchange(
                    endpoint: url, client: OAuthClient(id: "c", authentication: .mutualTls),
                    subject: TokenExchange.Token(
                        .file(path: "/token"), type: "urn:ietf:params:oauth:token-type:id_token"),
                    requestedTokenType: "urn:r", tls: TLSSettings(clientCertificate: certificate))),
            .refreshToken(
                RefreshToken(endpoint: url, client: OAuthClient(id: "c", authentication: .none), path: "/refresh")),
            .ibmIam(IBMIAM(tokenURL: try TokenURL(IBMIAM.publicTokenURL), apikey: .literal("k"))),
        ]
        #expect(configuration.credentials.map(\.source) == expected)
    }

    @Test("Two credentials cannot share a refresh token, as each would end the other's")
    func sharedRefreshToken() {
        let credential = "{ \(Self.refresh), clientSecret: s, refreshToken: { file: /refresh } }"
        let found = problems("credentials:\n  a: \(credential)\n  b: \(credential)\nunmatched: forward\n")
        #expect(found.count == 1)
        #expect(
            found.first?.hasPrefix("a.yaml:3:6: credentials.b.refreshToken: is in the file of credential a") == true)
    }

    @Test("Nor by another path to its file", arguments: ["/run/../refresh", "/link"])
    func sharedRefreshToken(path: String) {
        let credentials = ["/refresh", path].enumerated().map { index, path in
            "  x\(index): { \(Self.refresh), clientSecret: s, refreshToken: { file: \(path) } }\n"
        }
        var files = FakeFiles.usual
        files.links = ["/run/../refresh": "/refresh", "/link": "/refresh"]
        files.files["a.yaml"] = Array("credentials:\n\(credentials.joined())unmatched: forward\n".utf8)
        var flags = Flags()
        flags.configurationFile = "a.yaml"
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration.load(flags: flags, environment: [:], files: files)
        }
        #expect(error?.problems.map(\.path) == ["credentials.x1.refreshToken"])
    }

    @Test func `An app's own token is exchanged or kept, not both`() {
        let found = problems(
            """
            credentials: { x: { \(Self.exchange), subjectToken: { header: Authorization } } }
            routes: [{ match: { host: a.example }, credential: x, authorization: keep }]
            """)
        #expect(found.count == 1)
        #expect(found.first?.contains("routes[0].credential: exchanges the app's own Authorization") == true)
    }

    @Test(arguments: [("keep", "true", 1), ("keep", "false", 0), ("replace", "true", 0)])
    func `A route sends tokens with a proof, or an app's own, not both`(
        _ authorization: String, _ dpop: String, _ count: Int
    ) {
        let found = problems(
            """
            credentials: { x: { type: clientCredentials, tokenUrl: https://i.example/t, clientId: c, clientSecret: s,
              dpop: \(dpop) } }
            routes: [{ match: { host: a.example }, credential: x, authorization: \(authorization) }]
            """)
        #expect(found.count == count)
        let message =
            "a.yaml:3:52: routes[0].credential: has dpop, and an app's own Authorization, which authorization: keep lets "
            + "pass, would lose the proof that it comes with; remove one of the two"
        #expect(found.allSatisfy { $0 == message }, "\(found)")
    }
}
