import Testing
import TokenManager

@Suite struct TokenRequestTests {
    private let json = ["Content-Type: application/x-www-form-urlencoded", "Accept: application/json"]

    @Test func `Mobile Client Access is asked as the SDK asked it`() throws {
        let client = MobileClientAccess(
            serverURL: try TokenURL("http://127.0.0.1:4711/imf-authserver"), appID: "app-guid-1", clientID: "cid",
            clientSecret: .literal("s:e c/ret+"))
        let request = TokenGrant(client).request(secret: SecretText("s:e c/ret+"))
        #expect(request.url.authority == "127.0.0.1:4711")
        #expect(request.url.path == "/imf-authserver/authorization/v1/apps/app-guid-1/token")
        #expect(lines(request) == ["Authorization: Basic Y2lkOnM6ZSBjL3JldCs="] + json)
        #expect(body(request) == "grant_type=client_credentials")
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
            serverURL: try TokenURL(url), appID: app, clientID: "cid", clientSecret: .literal("s"))
        #expect(client.tokenURL.path == expected)
    }

    @Test func `App ID is asked with the raw identifier and secret`() throws {
        let server = AppID.oauthServerURL(endpoint: try TokenURL("https://eu.appid.test"), tenantID: "tenant-1")
        let client = AppID(oauthServerURL: server, clientID: "cid", clientSecret: .literal("s:e c/ret+"))
        let request = TokenGrant(client).request(secret: SecretText("s:e c/ret+"))
        #expect(request.url.description == "https://eu.appid.test/oauth/v4/tenant-1/token")
        #expect(lines(request) == ["Authorization: Basic Y2lkOnM6ZSBjL3JldCs="] + json)
        #expect(body(request) == "grant_type=client_credentials")
    }

    @Test(
        "A client authenticates as it is told to",
        arguments: [
            // base64("c%20id:s%3Ae%20c%2Fret%2B")
            (.basic, "Authorization: Basic YyUyMGlkOnMlM0FlJTIwYyUyRnJldCUyQg==", "grant_type=client_credentials"),
            // base64("c id:s:e c/ret+")
            (.basicRaw, "Authorization: Basic YyBpZDpzOmUgYy9yZXQr", "grant_type=client_credentials"),
            (.post, nil, "grant_type=client_credentials&client_id=c%20id&client_secret=s%3Ae%20c%2Fret%2B"),
        ] as [(ClientAuthentication, String?, String)])
    func authentication(_ authentication: ClientAuthentication, field: String?, form: String) throws {
        let client = ClientCredentials(
            tokenURL: try TokenURL("https://idp.test/token"), clientID: "c id", clientSecret: .literal("s:e c/ret+"),
            clientAuthentication: authentication)
        let request = TokenGrant(client).request(secret: SecretText("s:e c/ret+"))
        #expect(lines(request) == (field.map { [$0] } ?? []) + json)
        #expect(body(request) == form)
    }

    @Test func `Scope, audience, resources and extra parameters are sent encoded and in order`() throws {
        let client = ClientCredentials(
            tokenURL: try TokenURL("https://idp.test/token?tenant=1"), clientID: "cid", clientSecret: .literal("s"),
            scope: "read write", audience: "https://api.test/", resource: ["https://a.test", "https://b.test"],
            parameters: [
                TokenParameter(name: "token_format", value: "opaque"), TokenParameter(name: "é", value: "a&b=c\r\n~"),
            ], tls: TLSSettings(caFile: "/ca.pem"))
        let request = TokenGrant(client).request(secret: SecretText("s"))
        let form =
            "grant_type=client_credentials&scope=read%20write&audience=https%3A%2F%2Fapi.test%2F"
            + "&resource=https%3A%2F%2Fa.test&resource=https%3A%2F%2Fb.test&token_format=opaque"
            + "&%C3%A9=a%26b%3Dc%0D%0A~"
        #expect(body(request) == form)
        #expect(request.url.path == "/token?tenant=1")
        #expect(request.tls.caFile == "/ca.pem")
    }

    @Test(
        "A grant that no server can understand is named",
        arguments: [
            ("", .basic, [], "clientId is empty"),
            ("a:b", .basicRaw, [], "clientId holds a colon, which HTTP Basic cannot carry unencoded"),
            ("a", .basic, ["grant_type"], "the parameter grant_type is given twice or is set by other keys"),
            ("a", .basic, ["scope"], "the parameter scope is given twice or is set by other keys"),
            ("a", .basic, ["client_secret"], "the parameter client_secret is given twice or is set by other keys"),
            ("a", .basic, ["x", "x"], "the parameter x is given twice or is set by other keys"),
            ("a", .basic, [""], "a parameter has an empty name"),
            ("a:b", .basic, ["x", "y"], nil),
        ] as [(String, ClientAuthentication, [String], String?)])
    func problem(id: String, authentication: ClientAuthentication, parameters: [String], problem: String?) throws {
        let client = ClientCredentials(
            tokenURL: try TokenURL("https://idp.test/token"), clientID: id, clientSecret: .literal("s"),
            clientAuthentication: authentication, scope: "a",
            parameters: parameters.map { TokenParameter(name: $0, value: "1") })
        #expect(TokenGrant(client).problem == problem)
    }

    @Test func `Every part of a grant and the secret tell keys apart`() throws {
        let base = ClientCredentials(
            tokenURL: try TokenURL("https://idp.test/token"), clientID: "cid", clientSecret: .literal("s"))
        var variants = [base]
        var other = base
        other.tokenURL = try TokenURL("https://idp.test/token2")
        variants.append(other)
        other = base
        other.clientID = "cid2"
        variants.append(other)
        for authentication in [ClientAuthentication.basicRaw, .post] {
            other = base
            other.clientAuthentication = authentication
            variants.append(other)
        }
        other = base
        other.scope = "a"
        variants.append(other)
        other = base
        other.audience = "a"
        variants.append(other)
        other = base
        other.resource = ["a"]
        variants.append(other)
        other = base
        other.parameters = [TokenParameter(name: "p", value: "a")]
        variants.append(other)
        other = base
        other.tls.caFile = "/ca.pem"
        variants.append(other)
        var keys = variants.map { TokenKey(grant: TokenGrant($0), secret: SecretText("s")) }
        keys.append(TokenKey(grant: TokenGrant(base), secret: SecretText("s2")))
        #expect(Set(keys).count == keys.count)
        #expect(keys.contains(TokenKey(grant: TokenGrant(base), secret: SecretText("s"))))
    }

    private func lines(_ request: TokenRequest) -> [String] { request.fields.map { "\($0.name): \($0.value)" } }

    private func body(_ request: TokenRequest) -> String { String(decoding: request.body, as: UTF8.self) }
}
