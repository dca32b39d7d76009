import Signing
import Support
import Testing

@testable import TokenManager

/// The exact bytes that each type and each client authentication sends.
@Suite struct TokenRequestTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let source: CredentialSource
        /// The `Authorization` field, if there is one.
        let authorization: String?
        let form: String

        init(_ name: String, _ source: CredentialSource, _ form: String) { self.init(name, source, nil, form) }

        init(_ name: String, _ source: CredentialSource, _ authorization: String?, _ form: String) {
            testDescription = name
            self.source = source
            self.authorization = authorization
            self.form = form
        }
    }

    private static let secret = Secret.literal("s:e c/ret+")
    private static let file = Secret.file(path: "/f")
    private static let assertionType =
        "client_id=c%20id&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
    private static let jwtBearer = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
    private static let jwtType = "urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt"
    // Base64 of "c%20id:s%3Ae%20c%2Fret%2B" and of "c id:s:e c/ret+".
    private static let basic = "Basic YyUyMGlkOnMlM0FlJTIwYyUyRnJldCUyQg=="
    private static let basicRaw = "Basic YyBpZDpzOmUgYy9yZXQr"

    private static func client(_ authentication: ClientAuthentication) -> OAuthClient {
        OAuthClient(id: "c id", authentication: authentication)
    }

    private static func credentials(
        _ authentication: ClientAuthentication, tls: TLSSettings = TLSSettings()
    ) throws -> CredentialSource {
        .clientCredentials(
            ClientCredentials(
                endpoint: .url(try TokenURL("https://idp.test/token")), client: client(authentication), tls: tls))
    }

    private static func authentications() throws -> [Case] {
        let rsa = SignedAssertion(privateKey: file, algorithm: .rs256, keyID: "k1", certificate: file)
        let tls = TLSSettings(clientCertificate: ClientCertificate(certificate: file, privateKey: file))
        let grant = "grant_type=client_credentials"
        return [
            Case("basic", try credentials(.basic(secret)), basic, grant),
            Case("basicRaw", try credentials(.basicRaw(secret)), basicRaw, grant),
            Case("post", try credentials(.post(secret)), "\(grant)&client_id=c%20id&client_secret=s%3Ae%20c%2Fret%2B"),
            Case(
                "clientSecretJwt", try credentials(.clientSecretJwt(secret)),
                "\(grant)&\(assertionType)&client_assertion=\(SampleSignature.clientSecret)"),
            Case(
                "clientSecretJwt for an issuer",
                try credentials(.clientSecretJwt(secret, audience: "https://idp.test")),
                "\(grant)&\(assertionType)&client_assertion=\(SampleSignature.clientSecretForIssuer)"),
            Case(
                "privateKeyJwt", try credentials(.privateKeyJwt(.signed(rsa))),
                "\(grant)&\(assertionType)&client_assertion=\(SampleSignature.rsaWithThumbprint)"),
            Case(
                "privateKeyJwt from a file", try credentials(.privateKeyJwt(.value(file))),
                "\(grant)&\(assertionType)&client_assertion=s%3Ae%20c%2Fret%2B"),
            Case("mutualTls", try credentials(.mutualTls, tls: tls), "\(grant)&client_id=c%20id"),
            Case("none", try credentials(.none), "\(grant)&client_id=c%20id"),
        ]
    }

    private static func types() throws -> [Case] {
        let url = try TokenURL("https://idp.test/token")
        let access = RequestedAccess(
            scope: "read write", audience: "https://api.test/", resource: ["https://a.test", "https://b.test"],
            parameters: [TokenParameter(name: "p", value: "v")])
        let asked =
            "scope=read%20write&audience=https%3A%2F%2Fapi.test%2F&resource=https%3A%2F%2Fa.test"
            + "&resource=https%3A%2F%2Fb.test&p=v"
        let subject = SignedAssertion(
            privateKey: .file(path: "/ed25519"), issuer: "me", subject: "you", audience: "them",
            lifetime: .seconds(300), claims: [TokenParameter(name: "scope", value: "r w")])
        let exchange = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"
        return [
            Case(
                "mobileClientAccess by secret",
                .mobileClientAccess(
                    MobileClientAccess(
                        serverURL: url, appID: "a", authentication: .secret(clientID: "c id", secret))),
                basicRaw, "grant_type=client_credentials"),
            Case(
                "mobileClientAccess by certificate",
                .mobileClientAccess(
                    MobileClientAccess(
                        serverURL: url, appID: "a", authentication: .certificate(file, privateKey: file))),
                "IMFCert \(SampleSignature.imfCertificate)",
                "grant_type=client_credentials&client_id=client-of-the-app"),
            Case(
                "mobileClientAccess by certificate with properties",
                .mobileClientAccess(
                    MobileClientAccess(
                        serverURL: url, appID: "a",
                        authentication: .certificate(file, privateKey: file, properties: "a b"))),
                "IMFCert \(SampleSignature.imfCertificate)",
                "grant_type=client_credentials&client_id=client-of-the-app&properties=a%20b"),
            Case(
                "appId", .appId(AppID(oauthServerURL: url, clientID: "c id", clientSecret: secret)), basicRaw,
                "grant_type=client_credentials"),
            Case(
                "appId with an identity of one's own",
                .appId(
                    AppID(oauthServerURL: url, clientID: "c id", clientSecret: secret, assertion: .signed(subject))),
                basicRaw, "\(jwtBearer)&assertion=\(SampleSignature.ed25519OfSubject)"),
            Case(
                "ibmIam", .ibmIam(IBMIAM(tokenURL: url, apikey: secret)),
                "grant_type=urn%3Aibm%3Aparams%3Aoauth%3Agrant-type%3Aapikey&apikey=s%3Ae%20c%2Fret%2B"),
            Case(
                "clientCredentials with all that can be asked for",
                .clientCredentials(
                    ClientCredentials(endpoint: .url(url), client: client(.basic(secret)), access: access)),
                basic, "grant_type=client_credentials&\(asked)"),
            Case(
                "jwtBearer signed here, without a client",
                .jwtBearer(JWTBearer(endpoint: .url(url), assertion: .signed(subject), access: access)),
                "\(jwtBearer)&assertion=\(SampleSignature.ed25519OfSubject)&\(asked)"),
            Case(
                "jwtBearer from a file, with a client",
                .jwtBearer(JWTBearer(endpoint: .url(url), client: client(.post(secret)), assertion: .value(file))),
                "\(jwtBearer)&assertion=s%3Ae%20c%2Fret%2B&client_id=c%20id&client_secret=s%3Ae%20c%2Fret%2B"),
            Case(
                "tokenExchange", .tokenExchange(TokenExchange(endpoint: .url(url), subject: TokenExchange.Token(file))),
                "\(exchange)&subject_token=s%3Ae%20c%2Fret%2B&subject_token_type=\(jwtType)"),
            Case(
                "tokenExchange with an actor and all that can be asked for",
                .tokenExchange(
                    TokenExchange(
                        endpoint: .url(url), client: client(.basic(secret)),
                        subject: TokenExchange.Token(file, type: "urn:x:1"), actor: TokenExchange.Token(file),
                        requestedTokenType: "urn:x:2", access: access)),
                basic,
                "\(exchange)&subject_token=s%3Ae%20c%2Fret%2B&subject_token_type=urn%3Ax%3A1"
                    + "&actor_token=s%3Ae%20c%2Fret%2B&actor_token_type=\(jwtType)&requested_token_type=urn%3Ax%3A2"
                    + "&\(asked)"),
            Case(
                "refreshToken of a public client",
                .refreshToken(
                    RefreshToken(
                        endpoint: .url(url), client: client(.none), path: "/f", access: RequestedAccess(scope: "a"))),
                "grant_type=refresh_token&refresh_token=s%3Ae%20c%2Fret%2B&scope=a&client_id=c%20id"),
        ]
    }

    @Test("Each type and each client authentication sends these bytes", arguments: try authentications() + types())
    func request(_ expected: Case) throws {
        let draft = try #require(GrantDraft(expected.source))
        let grant = TokenGrant(draft)
        #expect(grant.problem == nil)
        var secrets = SampleGrant.texts(for: draft, secret: "s:e c/ret+")
        if draft.secrets[.assertionKey] == .file(path: "/ed25519") {
            secrets[.assertionKey] = SecretText(SampleKey.ed25519.rawValue)
        }
        let moment = SigningMoment(unixTime: 1_700_000_000.9, identifier: "jti-1")
        let request = try grant.prepared(for: try TokenURL("https://idp.test/token"), secrets, moment).request
        let fields = request.fields.map { "\($0.name): \($0.value)" }
        let authorization = expected.authorization.map { ["Authorization: \($0)"] } ?? []
        #expect(
            fields == authorization + ["Content-Type: application/x-www-form-urlencoded", "Accept: application/json"])
        #expect(String(decoding: request.body, as: UTF8.self) == expected.form)
        #expect(request.method == .post)
        #expect((request.clientCertificate != nil) == (expected.testDescription == "mutualTls"))
    }

    @Test(
        "An assertion is signed according to the key and the settings",
        arguments: [
            (.rsa, nil, "RS256"), (.rsa, .ps256, "PS256"), (.p256, nil, "ES256"), (.ed25519, nil, "EdDSA"),
        ] as [(SampleKey, SigningAlgorithm?, String)])
    func algorithm(key: SampleKey, algorithm: SigningAlgorithm?, expected: String) throws {
        let assertion = SignedAssertion(privateKey: Self.file, algorithm: algorithm)
        let template = AssertionTemplate(
            assertion, client: "cid", key: .clientAssertionKey, certificate: .clientAssertionCertificate)
        let secrets = SecretTexts([.clientAssertionKey: SecretText(key.rawValue)])
        let url = try TokenURL("https://idp.test/token")
        let first = try template.signed(for: url, secrets, SigningMoment(unixTime: 0))
        let second = try template.signed(for: url, secrets, SigningMoment(unixTime: 0))
        #expect(first != second, "two assertions have the same jti")
        let header = Base64URL.encode(Array(#"{"alg":"\#(expected)","typ":"JWT"}"#.utf8))
        #expect(first.hasPrefix("\(header)."))
        #expect(JSONWebToken(first)?.life == 60)
    }

    @Test(
        "The error names an unusable key or certificate, and what to do",
        arguments: [
            (.rsaCertificate, nil, "the client assertion's private key is not a private key in PEM"),
            (.p256, .rs256, "the client assertion's private key does not fit RS256"),
            (.ed25519, .es256, "the client assertion's private key does not fit ES256"),
            (.p256, nil, "do not belong together: replace both"),
        ] as [(SampleKey, SigningAlgorithm?, String)])
    func unusable(key: SampleKey, algorithm: SigningAlgorithm?, reason: String) throws {
        let assertion = SignedAssertion(privateKey: Self.file, algorithm: algorithm, certificate: Self.file)
        let draft = try #require(GrantDraft(try Self.credentials(.privateKeyJwt(.signed(assertion)))))
        var secrets = SampleGrant.texts(for: draft, secret: "")
        secrets[.clientAssertionKey] = SecretText(key.rawValue)
        var found: TokenError?
        do throws(TokenError) { try TokenGrant(draft).check(secrets) } catch { found = error }
        #expect(found?.kind == .unusableValue)
        #expect(found?.message.contains(reason) == true, "\(String(describing: found))")
    }

    @Test(
        "A server URL may end in a slash or carry a query, and an app's identifier is one segment",
        arguments: [
            ("http://h/imf/", "a", "/imf/authorization/v1/apps/a/token"),
            ("http://h", "a", "/authorization/v1/apps/a/token"),
            ("http://h/imf?x=1", "a/b c", "/imf/authorization/v1/apps/a%2Fb%20c/token?x=1"),
        ])
    func path(url: String, app: String, expected: String) throws {
        let client = MobileClientAccess(
            serverURL: try TokenURL(url), appID: app, authentication: .secret(clientID: "cid", .literal("s")))
        #expect(client.tokenURL.path == expected)
    }

    @Test func `App ID's address is made of its parts`() throws {
        let server = AppID.oauthServerURL(endpoint: try TokenURL("https://eu.appid.test"), tenantID: "tenant-1")
        let client = AppID(oauthServerURL: server, clientID: "cid", clientSecret: .literal("s"))
        #expect(client.tokenURL.description == "https://eu.appid.test/oauth/v4/tenant-1/token")
    }
}
