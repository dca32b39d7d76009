import Support
import Testing

/// Which credential a request carries to its backend, by the configuration alone.
@Suite("Exactly one credential is sent")
struct UnitAttachedCredentialTests {
    private static let basic = "Authorization: Basic c3R1ZmY6c3R1ZmY=\r\n"
    private static let attached = [DecidedRequest.value]

    /// The head that the backend gets.
    private func sent(_ fields: String = "", method: String = "GET", _ layout: Layout = Layout()) throws
        -> ReceivedRequest
    {
        let decided = try DecidedRequest(request(fields: fields, method: method), layout)
        return try #require(decided.sent, "\(String(describing: decided.refusal))")
    }

    @Test("The app's own Authorization is replaced, however often it sends one")
    func replaced() throws {
        let head = try sent(Self.basic + "authorization: Bearer second\r\n")
        #expect(head.fields.all("Authorization") == Self.attached)
    }

    @Test("The app's own Authorization is kept if the route says so, and the token is not attached")
    func kept() throws {
        let head = try sent(Self.basic, Layout(route: ["authorization: keep"]))
        #expect(head.fields.all("Authorization") == ["Basic c3R1ZmY6c3R1ZmY="])
    }

    @Test("A route that keeps the app's Authorization attaches the token when the app sends none")
    func keptButAbsent() throws {
        let head = try sent("", Layout(route: ["authorization: keep"]))
        #expect(head.fields.all("Authorization") == Self.attached)
    }

    @Test("A kept Authorization that Connection names is dropped, and the token replaces it")
    func keptButNamed() throws {
        let fields = "Connection: authorization\r\nAuthorization: Bearer mine\r\n"
        let head = try sent(fields, Layout(route: ["authorization: keep"]))
        #expect(head.fields.all("Authorization") == Self.attached)
    }

    @Test(
        "An app cannot delete the credential by naming it in Connection",
        arguments: ["Authorization", "authorization, close", "x-other, AUTHORIZATION", "keep-alive,authorization"])
    func connectionNamesAuthorization(_ names: String) throws {
        let head = try sent("Connection: \(names)\r\nAuthorization: Bearer mine\r\n")
        #expect(head.fields.all("Authorization") == Self.attached)
    }

    @Test(
        "Two Authorization lines of the app are never both forwarded",
        arguments: ["authorization: keep", "credential: none"])
    func twoAuthorizations(_ route: String) throws {
        let fields = Self.basic + "authorization: Bearer second\r\n"
        let decided = try DecidedRequest(request(fields: fields), Layout(route: [route]))
        try expectOwnAnswer(#require(decided.refusal), 400, mentions: ["Authorization", "send one"])
        #expect(decided.sent == nil)
    }

    private static let keyed = Layout(
        route: ["credential: key", "authorization: keep"],
        credentialsBefore: ["key: { type: static, value: canary-key-77, header: X-Api-Key, scheme: none }"])

    @Test("With authorization: keep, the app's own Authorization excludes a credential in another field")
    func onlyOneLeaves() throws {
        let own = try sent("Authorization: Bearer mine\r\nX_Api_Key: mine\r\n", Self.keyed)
        #expect(own.fields.all("Authorization") == ["Bearer mine"])
        #expect(own.fields["X-Api-Key"] == nil && own.fields["X_Api_Key"] == nil)
        #expect(try sent("", Self.keyed).fields.all("X-Api-Key") == Self.attached)
        let both = request(fields: "Authorization: Bearer mine\r\nX-Api-Key: mine\r\n")
        let decided = try DecidedRequest(both, Self.keyed)
        try expectOwnAnswer(#require(decided.refusal), 400, mentions: ["send one"])
        #expect(decided.sent == nil)
    }

    @Test("A route with credential none forwards without a token")
    func noCredential() throws {
        #expect(try sent("", Layout(route: ["credential: none"])).fields["Authorization"] == nil)
    }

    @Test(
        "Several methods are forwarded under their own names",
        arguments: ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"])
    func methods(_ method: String) throws {
        let head = try sent(method: method)
        #expect(head.method == method)
        #expect(head.fields.all("Authorization") == Self.attached)
    }

    private static let exchanged = Layout(
        route: ["credential: exchanged"],
        credentialsBefore: [
            "exchanged: { type: tokenExchange, tokenUrl: \"{token}\", subjectToken: { header: Authorization } }"
        ])

    @Test(
        "A token on behalf of the app's caller needs the request's own token, and asks for it",
        arguments: ["", "Authorization: Basic YTpi\r\n", "Authorization: Bearer\r\n"])
    func noSubject(_ fields: String) throws {
        let decided = try DecidedRequest(request(fields: fields), Self.exchanged)
        let refusal = try #require(decided.refusal)
        try expectOwnAnswer(refusal, 401, mentions: ["Authorization: Bearer"])
        #expect(refusal.fields.all("WWW-Authenticate") == ["Bearer"])
        #expect(decided.sent == nil)
    }

    @Test("A token on behalf of the app's caller is not chosen among two")
    func twoSubjects() throws {
        let fields = "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"
        let decided = try DecidedRequest(request(fields: fields), Self.exchanged)
        try expectOwnAnswer(#require(decided.refusal), 400, mentions: ["Authorization"])
        #expect(decided.sent == nil)
    }
}
