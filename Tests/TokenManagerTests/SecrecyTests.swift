import FoundationEssentials
import Testing

@testable import TokenManager

/// No text that Swift makes of a value by itself may hold a secret or a token.
@Suite struct SecrecyTests {
    private static let secret = "s3cretValue"
    private static let token = "t0kenValue"
    /// The Basic credentials of "cid" and the secret.
    private static let basic = "Y2lkOnMzY3JldFZhbHVl"

    private func check(_ value: Any, _ location: SourceLocation = #_sourceLocation) {
        var dumped = ""
        dump(value, to: &dumped)
        var texts = [
            dumped, String(describing: value), String(reflecting: value), "\(value)", "\(Optional(value) as Any)",
        ]
        collect(Mirror(reflecting: value), 0, &texts)
        for text in texts {
            for hidden in [Self.secret, Self.token, Self.basic] {
                #expect(!text.contains(hidden), "\(type(of: value)) shows a secret", sourceLocation: location)
            }
        }
    }

    private func collect(_ mirror: Mirror, _ depth: Int, _ texts: inout [String]) {
        guard depth < 12 else { return }
        for child in mirror.children {
            texts.append("\(child.label ?? ""): \(child.value)")
            collect(Mirror(reflecting: child.value), depth + 1, &texts)
        }
        if let parent = mirror.superclassMirror { collect(parent, depth + 1, &texts) }
    }

    @Test func `Configurations show where a secret is and never a literal one`() throws {
        let secret = Secret.literal(Self.secret)
        check(secret)
        let access = RequestedAccess(parameters: [TokenParameter(name: "password", value: Self.secret)])
        check(access)
        for source in try SampleGrant.sources(secret: secret, access: access) + [.fixed(secret)] {
            check(source)
            check([CredentialConfiguration(name: "a", source: source)])
        }
        check(["a": secret])
        #expect("\(Secret.file(path: "/f")) \(Secret.environment(name: "E"))" == "file /f environment variable E")
    }

    @Test func `Requests, responses and headers show no content`() throws {
        let url = try TokenURL("https://idp.test/token")
        for source in try SampleGrant.sources(secret: .literal(Self.secret), access: RequestedAccess()) {
            let draft = try #require(GrantDraft(source))
            let grant = TokenGrant(draft)
            check(grant)
            let secrets = SampleGrant.texts(for: draft, secret: Self.secret)
            check(secrets)
            check(TokenKey(grant: grant, secrets: secrets))
            let prepared = try grant.prepared(for: url, secrets, SigningMoment(unixTime: 0))
            check(prepared)
            check(prepared.request)
            check(TokenAnswer(from: url, to: grant, hiding: prepared.hidden))
            check(prepared.request.clientCertificate as Any)
            // What was made of the secrets must be known, so that no message repeats it.
            let text = String(decoding: prepared.request.body, as: UTF8.self)
            for assertion in text.split(separator: "&").filter({ $0.contains("assertion=ey") }) {
                #expect(prepared.hidden.contains(String(assertion.split(separator: "=")[1])))
            }
        }
        check(TokenResponse(status: 200, body: Array(#"{"access_token":"\#(Self.token)"}"#.utf8)))
        let body = #"{"access_token":"\#(Self.token)","refresh_token":"\#(Self.secret)"}"#
        let fields = try JSONDecoder().decode(TokenFields.self, from: Data(body.utf8))
        #expect(fields.accessToken?.text == Self.token)
        check(fields)
        check(fields.accessToken as Any)
        check(AuthorizationHeader(name: "Authorization", value: "Bearer \(Self.token)", usableUntil: Sample.start))
        let token = AccessToken(
            value: Self.token, life: .seconds(1), sent: Sample.start, received: Sample.start, random: 0)
        check(token)
        check(SecretText(Self.secret))
        check(LocalValue.Reading(text: Self.token, usableUntil: nil))
        check(TokenEntry.AcquireAction.serve(token))
        check(TokenEntry.FetchSucceededAction.publish(token, waiters: []))
        check(LocalValue.ReadAction.publish(LocalValue.Reading(text: Self.token, usableUntil: nil)))
    }

    @Test func `The bytes of a body are not shown as numbers either`() throws {
        let response = TokenResponse(status: 200, body: Array(Self.token.utf8))
        var dumped = ""
        dump(response, to: &dumped)
        #expect(!dumped.contains("\(UInt8(ascii: "k"))"))
    }

    @Test func `A running manager, its status and its errors show no secret`() throws {
        let simulation = Simulation([
            try .client(secret: .literal(Self.secret)),
            CredentialConfiguration(name: "b", source: .fixed(.literal(Self.token)), scheme: nil),
            CredentialConfiguration(name: "c", source: .fixed(.literal(Self.token + "\n")), scheme: nil),
        ])
        try simulation.start()
        simulation.answer(.token(Self.token))
        #expect(simulation.ask("a").header?.value == "Bearer \(Self.token)")
        check(simulation.manager)
        for name in ["a", "b", "c"] {
            check(try #require(try simulation.status(name)))
            check(simulation.ask(name).value as Any)
        }
    }

    @Test("Whatever kind of secret a server repeats, no message repeats it")
    func echoesOfEveryKind() throws {
        for source in try SampleGrant.sources(secret: .literal(Self.secret), access: RequestedAccess()) {
            let draft = try #require(GrantDraft(source))
            let grant = TokenGrant(draft)
            let url = try TokenURL("https://idp.test/token")
            let secrets = SampleGrant.texts(for: draft, secret: Self.secret)
            let prepared = try grant.prepared(for: url, secrets, SigningMoment(unixTime: 0))
            let reader = TokenAnswer(from: url, to: grant, hiding: prepared.hidden)
            // A server sees what was sent; what it says of it may be the whole, or a word of it.
            let sent = secrets.values + prepared.hidden
            for text in sent + sent.map({ String($0.suffix(20)) }) where !text.contains("\n") {
                for member in ["error", "token_type"] {
                    let body = #"{"access_token":"t","\#(member)":"\#(text.lowercased())"}"#
                    var found: FetchFailure?
                    do throws(FetchFailure) {
                        _ = try reader.read(
                            TokenResponse(status: 200, body: Array(body.utf8)), sent: Sample.start,
                            received: Sample.start, unixTime: 0,
                            random: 0)
                    } catch { found = error }
                    let message = try #require(found).error.message
                    #expect(!message.lowercased().contains(text.lowercased()), "\(source)")
                }
                let unreachable = reader.unreachable(TokenTransportError(message: "sent \(text)")).error.message
                #expect(sent.contains(text) ? !unreachable.contains(text) : true)
            }
        }
    }

    @Test(
        "No message repeats a response that contains the secret or the token",
        arguments: [
            .ok(#"{"error":"\#(secret)","error_description":"\#(secret) \#(basic)"}"#),
            .ok(#"{"error":"invalid_client","error_description":"\#(secret)"}"#),
            .status(400, #"{"error":"\#(basic)"}"#), .status(400, secret), .status(401, secret), .status(500, token),
            .ok(#"{"access_token":"\#(token)","token_type":"\#(token)"}"#),
            .ok(#"{"access_token":"\#(token)","token_type":"\#(secret)"}"#),
            .ok(#"{"access_token":"\#(token)\n"}"#), .ok(#"{"access_token":"\#(token)","expires_in":"\#(token)"}"#),
            .ok(#"{"access_token":{"x":"\#(token)"}}"#), .status(302, token), .ok(token),
            .status(503, "", retryAfter: secret), .failure(TokenTransportError(message: "sent \(secret)")),
        ] as [ScriptedTransport.Answer])
    func echoes(answer: ScriptedTransport.Answer) throws {
        let simulation = Simulation([try .client(secret: .literal(Self.secret))])
        let caller = simulation.ask()
        simulation.answer(answer)
        let error = try #require(caller.error)
        check(error)
        check(try #require(try simulation.status()))
    }
}
