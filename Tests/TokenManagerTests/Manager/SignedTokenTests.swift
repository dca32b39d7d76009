import FoundationEssentials
import Support
import Testing

@testable import TokenManager

/// A JWT's header and payload, as JSON.
private func parts(_ token: Substring) throws -> (header: JSON, payload: JSON) {
    let parts = token.split(separator: ".").map(String.init)
    try #require(parts.count == 3)
    let texts = try parts.prefix(2).map { part in
        let plain = part.replacing("-", with: "+").replacing("_", with: "/")
        let padded = plain + String(repeating: "=", count: (4 - plain.count % 4) % 4)
        return String(decoding: try #require(Data(base64Encoded: padded)), as: UTF8.self)
    }
    return (try JSON(texts[0]), try JSON(texts[1]))
}

@Suite("Tokens that are signed here")
struct SignedTokenTests {
    private static func credential(_ assertion: SignedAssertion) -> CredentialConfiguration {
        CredentialConfiguration(name: "a", source: .signedJwt(assertion))
    }

    private static func assertion(lifetime: Duration = .seconds(600)) -> SignedAssertion {
        SignedAssertion(
            privateKey: .literal(SampleKey.p256.rawValue), keyID: "k1", issuer: "ACCOUNT.USER.SHA256:x",
            lifetime: lifetime)
    }

    @Test func `No server is asked, and the JWT has only the claims of the settings`() throws {
        let simulation = Simulation([Self.credential(Self.assertion())])
        try simulation.start()
        let value = try #require(simulation.ask().header?.value)
        let (header, payload) = try parts(value.dropFirst("Bearer ".count))
        #expect(header["alg"] == .string("ES256") && header["kid"] == .string("k1"))
        #expect(payload["iss"] == .string("ACCOUNT.USER.SHA256:x"))
        #expect(payload["sub"] == nil && payload["aud"] == nil)
        guard case .number(let issued)? = payload["iat"], case .number(let end)? = payload["exp"] else {
            return #expect(Bool(false), "\(payload)")
        }
        #expect(end - issued == 600)
        #expect(simulation.transport.exchanges.isEmpty)
    }

    @Test func `It is signed anew between 70 and 80 % of its life, and after a refusal`() throws {
        let simulation = Simulation([Self.credential(Self.assertion())])
        try simulation.start()
        let first = try #require(simulation.ask().header)
        simulation.advance(.seconds(400))
        #expect(simulation.ask().header == first)
        simulation.advance(.seconds(75))
        let second = try #require(simulation.ask().header)
        #expect(second.value != first.value)
        try simulation.loop.call { [manager = simulation.manager] in await manager.refused(second.generation, for: "a")
        }
        #expect(simulation.ask().header?.value != second.value)
        #expect(simulation.transport.exchanges.isEmpty)
    }

    @Test(arguments: [(nil, "the assertion has no issuer"), ("i", nil)] as [(String?, String?)])
    func `Without an issuer the settings are unusable`(_ issuer: String?, _ problem: String?) throws {
        var assertion = Self.assertion()
        assertion.issuer = issuer
        let simulation = Simulation([Self.credential(assertion)])
        let error = try simulation.status()?.lastError
        #expect(problem.map { error?.message.contains($0) == true } ?? (error == nil))
    }

    @Test func `A key that cannot sign is an error with advice, and no header leaves`() throws {
        var assertion = Self.assertion()
        assertion.algorithm = .rs256
        let simulation = Simulation([Self.credential(assertion)])
        let outcome = simulation.ask()
        #expect(outcome.header == nil)
        #expect(try simulation.status()?.lastError?.message.contains("does not fit RS256") == true)
    }
}

@Suite("Tokens of a GitHub App's installation")
struct GitHubAppTests {
    private static func app(scheme: String = "Bearer") throws -> CredentialConfiguration {
        CredentialConfiguration(
            name: "a",
            source: .githubApp(
                GitHubApp(
                    apiURL: try TokenURL("https://github.test/api/v3"), appID: "12", installationID: 345,
                    privateKey: .literal(SampleKey.rsa.rawValue), repositories: ["one", "t\"wo"],
                    permissions: [TokenParameter(name: "contents", value: "read")])),
            scheme: scheme)
    }

    /// The end of a token that was issued at the simulation's start.
    private static func answer(_ simulation: Simulation, life: Double) -> ScriptedTransport.Answer {
        let end = Date(timeIntervalSince1970: (simulation.clock.unixTime + life).rounded(.down)).formatted(.iso8601)
        return .status(201, #"{"token":"ghs_1","expires_at":"\#(end)","permissions":{"contents":"read"}}"#)
    }

    @Test func `A JWT of the app asks for a token, limited to repositories and permissions`() throws {
        let simulation = Simulation([try Self.app()])
        try simulation.start()
        let request = try #require(simulation.transport.exchanges.first?.request)
        #expect(request.description == "POST https://github.test/api/v3/app/installations/345/access_tokens")
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == #"{"repositories":["one","t\"wo"],"permissions":{"contents":"read"}}"#)
        let fields = Dictionary(uniqueKeysWithValues: request.fields.map { ($0.name, $0.value) })
        #expect(fields["Accept"] == "application/vnd.github+json" && fields["User-Agent"] == "attache")
        let (header, payload) = try parts(try #require(fields["Authorization"]).dropFirst("Bearer ".count))
        #expect(header["alg"] == .string("RS256"))
        #expect(payload["iss"] == .string("12"))
        guard case .number(let issued)? = payload["iat"], case .number(let end)? = payload["exp"] else {
            return #expect(Bool(false), "\(payload)")
        }
        // GitHub refuses an end of more than ten minutes from now, and a beginning that its clock has not reached.
        #expect(end <= simulation.clock.unixTime + 600 && issued <= simulation.clock.unixTime - 59)
        simulation.answer(Self.answer(simulation, life: 3600))
        #expect(simulation.ask().header?.value == "Bearer ghs_1")
    }

    @Test func `The token is fetched again before the date that GitHub gave, and at most an hour counts`() throws {
        let simulation = Simulation([try Self.app()])
        try simulation.start()
        simulation.answer(Self.answer(simulation, life: 36_000))
        simulation.advance(.seconds(2500))
        #expect(simulation.transport.exchanges.count == 1)
        simulation.advance(.seconds(400))
        #expect(simulation.transport.exchanges.count == 2)
    }

    @Test func `For git the token is the password of x-access-token`() throws {
        let simulation = Simulation([try Self.app(scheme: "Basic")])
        try simulation.start()
        simulation.answer(Self.answer(simulation, life: 3600))
        let expected = Data("x-access-token:ghs_1".utf8).base64EncodedString()
        #expect(simulation.ask().header?.value == "Basic \(expected)")
    }

    @Test(
        arguments: [
            (201, #"{"expires_at":"2040-01-01T00:00:00Z"}"#, "token is missing"),
            (201, #"{"token":"ghs_1"}"#, "expires_at is missing"),
            (201, #"{"token":"ghs_1","expires_at":17}"#, "expires_at is not a date"),
            (201, #"{"token":"ghs_1","expires_at":"soon"}"#, "expires_at is not a date"),
            (201, #"{"token":"ghs_1","expires_at":"2001-01-01T00:00:00Z"}"#, "clock"),
            (201, #"{"access_token":"ghs_1","expires_in":3600}"#, "token is missing"),
            (404, #"{"message":"Not Found","documentation_url":"https://docs.test"}"#, "404, \"Not Found\""),
            (401, #"{"message":"'Expiration time' claim is too far in the future"}"#, "privateKey"),
            (422, #"{"message":"no such repository"}"#, "no such repository"),
        ] as [(Int, String, String)])
    func `An answer without a usable token says why`(_ status: Int, _ body: String, _ reason: String) throws {
        let simulation = Simulation([try Self.app()])
        try simulation.start()
        simulation.answer(.status(status, body))
        let message = try #require(try simulation.status()?.lastError?.message)
        #expect(message.contains(reason), "\(message)")
        #expect(!message.contains("ghs_1"))
    }
}

@Suite("Tokens of a cloud's metadata server")
struct MetadataServerTests {
    @Test(
        arguments: [
            (
                .google(scopes: []), "/computeMetadata/v1/instance/service-accounts/default/token",
                "Metadata-Flavor: Google"
            ),
            (
                .google(scopes: ["https://a.test/x", "email"]),
                "/computeMetadata/v1/instance/service-accounts/default/token?scopes=https%3A%2F%2Fa.test%2Fx%2Cemail",
                "Metadata-Flavor: Google"
            ),
            (
                .azure(resource: "https://vault.test", clientID: nil),
                "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fvault.test",
                "Metadata: true"
            ),
            (
                .azure(resource: "https://vault.test", clientID: "c 1"),
                "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fvault.test&client_id=c%201",
                "Metadata: true"
            ),
        ] as [(MetadataServer.Provider, String, String)])
    func `The server is asked by GET with the field that it demands`(
        _ provider: MetadataServer.Provider, _ path: String, _ field: String
    ) throws {
        let server = MetadataServer(url: try TokenURL(MetadataServer.address), provider: provider)
        let simulation = Simulation([CredentialConfiguration(name: "a", source: .metadata(server))])
        try simulation.start()
        let request = try #require(simulation.transport.exchanges.first?.request)
        #expect(request.description == "GET http://169.254.169.254\(path)")
        #expect(request.body.isEmpty)
        #expect(request.fields.map { "\($0.name): \($0.value)" } == [field, "Accept: application/json"])
        simulation.answer(.ok(#"{"access_token":"t1","expires_in":"3599","token_type":"Bearer"}"#))
        #expect(simulation.ask().header?.value == "Bearer t1")
    }

    @Test func `No token of a metadata server can be bound to a key`() throws {
        let server = MetadataServer(
            url: try TokenURL(MetadataServer.address), provider: .google(scopes: []))
        let simulation = Simulation([
            CredentialConfiguration(name: "a", source: .metadata(server), dpop: .generated)
        ])
        #expect(try simulation.status()?.lastError?.message.contains("binds no token to a key") == true)
    }
}
