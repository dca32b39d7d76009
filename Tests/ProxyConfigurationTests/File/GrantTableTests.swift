import ProxyConfiguration
import Testing
import TokenManager

@Suite("Client authentication, assertions and the other grants: valid and invalid")
struct GrantTableTests {
    private static let bare = "type: clientCredentials, tokenUrl: https://i.example/t, clientId: c"
    private static let bearer = "type: jwtBearer, tokenUrl: https://i.example/t"
    private static let exchange = "type: tokenExchange, tokenUrl: https://i.example/t"
    private static let refresh = "type: refreshToken, tokenUrl: https://i.example/t, clientId: c"
    private static let mobile = "type: mobileClientAccess, appId: a, serverUrl: https://m.example/x"

    private static func key(_ more: String = "") -> String {
        "\(bare), clientAuthentication: privateKeyJwt, clientAssertion: { privateKey: { file: /rsa.pem }\(more) }"
    }

    static let authentication = [
        key(),
        key(", algorithm: PS256, keyId: k, audience: a, lifetime: 5m"),
        key(", certificate: { file: /rsa-certificate.pem }"),
        "\(bare), clientAuthentication: privateKeyJwt, clientAssertion: { file: /token }",
        "\(bare), clientAuthentication: privateKeyJwt, clientAssertion: { env: SECRET }",
        "\(bare), clientAuthentication: clientSecretJwt, clientSecret: s",
        "\(bare), clientAuthentication: clientSecretJwt, clientSecret: s, clientAssertion: { audience: a }",
        "\(bare), clientAuthentication: mutualTls, tls: { clientCertificate: /rsa-certificate.pem, clientKey: /rsa.pem }",
        "\(bare), clientAuthentication: none",
    ]

    static let discovery = [
        "type: clientCredentials, issuer: https://i.example/realms/a, clientId: c, clientSecret: s",
        "type: clientCredentials, issuer: http://127.0.0.1:1, clientId: c, clientSecret: s",
        "type: clientCredentials, issuer: http://i.example, clientId: c, clientSecret: s, allowPlaintext: true",
    ]

    static let grants = [
        "type: ibmIam, apikey: k",
        "type: ibmIam, apikey: { file: /secret }, tokenUrl: https://iam.example/t",
        "\(bearer), assertion: { file: /token }",
        "\(bearer), assertion: { privateKey: { file: /rsa.pem }, issuer: me, subject: you, claims: { scope: a } }",
        "\(bearer), assertion: { privateKey: { file: /rsa.pem } }, clientId: c, clientSecret: s",
        "\(bearer), assertion: { file: /token }, clientId: c, clientAuthentication: none",
        "\(exchange), subjectToken: { file: /token }",
        "\(exchange), subjectToken: { file: /token }, subjectTokenType: access_token, actorToken: { file: /secret }, actorTokenType: 'urn:x:y', requestedTokenType: jwt, audience: a, resource: r:1, scope: s",
        "\(refresh), clientSecret: s, refreshToken: { file: /refresh }",
        "\(refresh), clientAuthentication: none, refreshToken: { file: /refresh }, scope: a",
        "\(refresh), clientSecret: s, refreshToken: { file: /refresh }, dpop: true",
        "\(refresh), clientAuthentication: none, refreshToken: { file: /refresh }, dpop: { privateKey: { file: /p256.pem } }",
        "\(refresh), clientAuthentication: none, refreshToken: { file: /refresh }, dpop: false",
        "\(exchange), subjectToken: { header: Authorization }",
        "\(exchange), subjectToken: { header: authorization }, subjectTokenType: jwt, scope: '{host}'",
        "\(mobile), certificate: { file: /rsa-certificate.pem }, privateKey: { file: /rsa.pem }, properties: p",
        "type: appId, clientId: c, secret: s, oauthServerUrl: https://a.example, assertion: { file: /token }",
        "type: appId, clientId: c, secret: s, oauthServerUrl: https://a.example, assertion: { privateKey: { file: /rsa.pem }, subject: u }",
        "type: static, value: dXNlcjpwYXNz, scheme: Basic",
        "type: file, path: /token, header: X-Api-Key, scheme: ApiKey",
    ]

    @Test("A valid credential is accepted", arguments: authentication + discovery + grants)
    func accepted(credential: String) {
        let text = "credentials:\n  x: { \(credential) }\nunmatched: forward\n"
        #expect(problems(text, environment: ["SECRET": "env-secret"]) == [])
    }

    @Test("The settings are read as they are written")
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
              f: { type: signedJwt, assertion: { privateKey: { file: /p256.pem }, issuer: me, lifetime: 10m, claims: { x: y } } }
              g: { type: githubApp, appId: 12, installationId: 345, privateKey: { file: /rsa.pem }, scheme: Basic }
              h: { type: githubApp, appId: Iv1.a, installationId: 345, privateKey: { file: /rsa.pem },
                   endpoint: "https://github.example/api/v3", repositories: [one, two], permissions: { contents: read } }
              i: { type: metadata, provider: google }
              j: { type: metadata, provider: google, scope: "https://a.example/x email", endpoint: "http://127.0.0.1:1" }
              l: { type: metadata, provider: google, endpoint: "http://169.254.169.254" }
              k: { type: metadata, provider: azure, resource: "https://vault.example", clientId: c }
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
            .signedJwt(
                SignedAssertion(
                    privateKey: .file(path: "/p256.pem"), issuer: "me", lifetime: .seconds(600),
                    claims: [TokenParameter(name: "x", value: "y")])),
            .githubApp(
                GitHubApp(
                    apiURL: try TokenURL("https://api.github.com"), appID: "12", installationID: 345,
                    privateKey: .file(path: "/rsa.pem"))),
            .githubApp(
                GitHubApp(
                    apiURL: try TokenURL("https://github.example/api/v3"), appID: "Iv1.a", installationID: 345,
                    privateKey: .file(path: "/rsa.pem"), repositories: ["one", "two"],
                    permissions: [TokenParameter(name: "contents", value: "read")])),
            .metadata(MetadataServer(url: try TokenURL("http://169.254.169.254"), provider: .google(scopes: []))),
            .metadata(
                MetadataServer(
                    url: try TokenURL("http://127.0.0.1:1"),
                    provider: .google(scopes: ["https://a.example/x", "email"]))),
            .metadata(MetadataServer(url: try TokenURL("http://169.254.169.254"), provider: .google(scopes: []))),
            .metadata(
                MetadataServer(
                    url: try TokenURL("http://169.254.169.254"),
                    provider: .azure(resource: "https://vault.example", clientID: "c"))),
        ]
        #expect(configuration.credentials.map(\.source) == expected)
    }

    @Test(
        "Two credentials cannot share a refresh token by two paths to its file",
        arguments: ["/run/../refresh", "/link"])
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

    @Test(arguments: [("keep", "true", 1), ("keep", "false", 0), ("replace", "true", 0)])
    func `A route sends tokens with a proof, or an app's own Authorization, but not both`(
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
            "a.yaml:3:52: routes[0].credential: has dpop, so an app's own Authorization, which authorization: keep "
            + "forwards, would lose its proof; remove one of the two"
        #expect(found.allSatisfy { $0 == message }, "\(found)")
    }
}
