import Testing

@testable import TokenManager

@Suite struct TokenGrantTests {
    private static let url = "https://idp.test/token"

    private func grant(
        _ authentication: ClientAuthentication = .basic(.literal("s")), id: String = "cid",
        access: RequestedAccess = RequestedAccess(), at url: String = url, tls: TLSSettings = TLSSettings()
    ) throws -> TokenGrant {
        let client = ClientCredentials(
            endpoint: .url(try TokenURL(url)), client: OAuthClient(id: id, authentication: authentication),
            access: access, tls: tls)
        return TokenGrant(GrantDraft(client))
    }

    @Test(
        "The error names a grant that no server can understand",
        arguments: [
            ("", .basic(.literal("s")), [], "clientId is empty"),
            (
                "a:b", .basicRaw(.literal("s")), [],
                "clientId contains a colon, which HTTP Basic cannot carry unencoded"
            ),
            (
                "a", .basic(.literal("s")), ["grant_type"],
                "the parameter grant_type is given twice or is set by other keys"
            ),
            ("a", .basic(.literal("s")), ["scope"], "the parameter scope is given twice or is set by other keys"),
            (
                "a", .basic(.literal("s")), ["client_secret"],
                "the parameter client_secret is given twice or is set by other keys"
            ),
            (
                "a", .basic(.literal("s")), ["client_assertion"],
                "the parameter client_assertion is given twice or is set by other keys"
            ),
            ("a", .basic(.literal("s")), ["x", "x"], "the parameter x is given twice or is set by other keys"),
            ("a", .basic(.literal("s")), [""], "a parameter has an empty name"),
            ("a", .mutualTls, [], "mutualTls needs a client certificate"),
            ("a:b", .basic(.literal("s")), ["x", "y"], nil), ("a:b", .none, [], nil),
        ] as [(String, ClientAuthentication, [String], String?)])
    func problem(id: String, authentication: ClientAuthentication, parameters: [String], problem: String?) throws {
        let access = RequestedAccess(scope: "a", parameters: parameters.map { TokenParameter(name: $0, value: "1") })
        #expect(try grant(authentication, id: id, access: access).problem == problem)
    }

    @Test(
        "The error names an assertion that no server can understand",
        arguments: [
            (SignedAssertion(privateKey: .literal("k")), "the assertion has no issuer"),
            (
                SignedAssertion(privateKey: .literal("k"), issuer: "i", lifetime: .zero),
                "the assertion's lifetime is less than one second"
            ),
            (
                SignedAssertion(
                    privateKey: .literal("k"), issuer: "i", claims: [TokenParameter(name: "aud", value: "x")]),
                "the assertion's claim aud is given twice or is set by other keys"
            ),
            (SignedAssertion(privateKey: .literal("k"), issuer: "i"), nil),
        ] as [(SignedAssertion, String?)])
    func assertionProblem(assertion: SignedAssertion, problem: String?) throws {
        let bearer = JWTBearer(endpoint: .url(try TokenURL(Self.url)), assertion: .signed(assertion))
        #expect(TokenGrant(GrantDraft(bearer)).problem == problem)
    }

    @Test func `Every part of a grant and every secret distinguishes keys`() throws {
        let signed = SignedAssertion(privateKey: .file(path: "/k"))
        var otherClaims = signed
        otherClaims.audience = "x"
        let certificate = ClientCertificate(certificate: .file(path: "/c"), privateKey: .file(path: "/k"))
        let grants = try [
            grant(), grant(id: "cid2"), grant(at: "https://idp.test/token2"), grant(.basicRaw(.literal("s"))),
            grant(.post(.literal("s"))), grant(.clientSecretJwt(.literal("s"))),
            grant(.clientSecretJwt(.literal("s"), audience: "x")), grant(.privateKeyJwt(.signed(signed))),
            grant(.privateKeyJwt(.signed(otherClaims))), grant(.privateKeyJwt(.value(.literal("s")))), grant(.none),
            grant(.mutualTls, tls: TLSSettings(clientCertificate: certificate)),
            grant(tls: TLSSettings(caFile: "/ca.pem")), grant(tls: TLSSettings(clientCertificate: certificate)),
            grant(access: RequestedAccess(scope: "a")), grant(access: RequestedAccess(audience: "a")),
            grant(access: RequestedAccess(resource: ["a"])),
            grant(access: RequestedAccess(parameters: [TokenParameter(name: "p", value: "a")])),
        ]
        let secrets = [
            SecretTexts(), SecretTexts([.clientSecret: SecretText("s")]), SecretTexts([.apikey: SecretText("s")]),
            SecretTexts([.clientSecret: SecretText("s"), .apikey: SecretText("s")]),
            SecretTexts([.clientSecret: SecretText("s2")]),
        ]
        let keys = grants.flatMap { grant in secrets.map { TokenKey(grant: grant, secrets: $0) } }
        #expect(Set(keys).count == keys.count)
        #expect(TokenKey(grant: try grant(), secrets: secrets[1]) == TokenKey(grant: grants[0], secrets: secrets[1]))
        // Where a secret is does not matter, only what it is.
        #expect(try grant(.basic(.file(path: "/x"))) == grants[0])
    }
}
