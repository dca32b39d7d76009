import Support
import Testing

@testable import TokenManager

@Suite struct TokenAnswerTests {
    /// Header and signature are of no interest; the payload is {"iat":1000,"exp":4600}.
    private static let token = "eyJhIjoxfQ.eyJpYXQiOjEwMDAsImV4cCI6NDYwMH0.c2ln"

    @Test("A response that took longer than its token lives brings no token, and the error says why")
    func late() throws {
        let body = #"{"access_token":"abc","expires_in":5,"refresh_token":"r1"}"#
        let response = TokenResponse(status: 200, body: Array(body.utf8))
        let failure = #expect(throws: FetchFailure.self) {
            try reader.read(response, sent: Sample.start, received: Sample.at(4), unixTime: 0, random: 0)
        }
        #expect(failure?.isDefinitive == false)
        #expect(failure?.error.kind == .badTokenResponse)
        #expect(failure?.error.message.contains("took so long to answer") == true)
        #expect(failure?.refreshToken == .usable(SecretText("r1")))
    }

    @Test(
        "A usable token is used with its stated life",
        arguments: [
            (#"{"access_token":"t","token_type":"Bearer","expires_in":3600}"#, 3600),
            (#"{"access_token":"t","token_type":"bearer","expires_in":"3600"}"#, 3600),
            (#"{"access_token":"t","token_type":"BEARER","expires_in":3599.5}"#, 3599.5),
            (#"{"access_token":"t","expires_in":"120.0"}"#, 120),
            (#"{"access_token":"t","token_type":null,"expires_in":1}"#, 1),
            (#" {"expires_in":60,"access_token":"aZ09-._~+/==","scope":"a","x":{"y":[1]}} "#, 60),
            (#"{"access_token":"t"}"#, 300),
            (#"{"access_token":"t","expires_in":null,"error":null}"#, 300),
            (#"{"access_token":"\#(token)"}"#, 3600),
            (#"{"access_token":"\#(token)","expires_in":60}"#, 60),
            (#"{"access_token":"a.b.c"}"#, 300),
            (#"{"access_token":"t","expires_in":86401}"#, 86_400),
            (#"{"access_token":"t","expires_in":99999999999999999999999999}"#, 86_400),
            (#"{"access_token":"t","expires_in":1e300}"#, 86_400),
            (#"{"access_token":"t","expires_in":"99999999999999999999"}"#, 86_400),
            (#"{"access_token":"t","expires_in":9223372036854775807}"#, 86_400),
        ] as [(String, Double)])
    func usable(body: String, life: Double) throws {
        let token = try read(TokenResponse(status: 200, body: Array(body.utf8))).get()
        let expected = AccessToken(
            value: token.value, life: .seconds(life), sent: Sample.start, received: Sample.start, random: 0)
        #expect(token == expected)
    }

    @Test(
        "A successful response without a usable token is a failure that is tried again",
        arguments: [
            ("", "the body is empty"),
            (" \r\n", "the body is empty"),
            ("<html>s3cret</html>", "the body is a page of HTML or XML and not JSON"),
            ("OK", "the body is not a JSON object"),
            ("[]", "the body is not a JSON object"),
            ("\"t\"", "the body is not a JSON object"),
            ("null", "the body is not a JSON object"),
            (#"{"access_token":"t""#, "the body is not a JSON object"),
            ("access_token=t&expires_in=3600", "the body is not a JSON object"),
            ("{}", "access_token is missing"),
            (#"{"access_token":null}"#, "access_token is missing"),
            (#"{"Access_Token":"t"}"#, "access_token is missing"),
            (#"{"access_token":""}"#, "access_token is empty"),
            (#"{"access_token":1}"#, "access_token is not a text"),
            (#"{"access_token":true}"#, "access_token is not a text"),
            (#"{"access_token":["t"]}"#, "access_token is not a text"),
            (#"{"access_token":{"t":1}}"#, "access_token is not a text"),
            (#"{"access_token":"t\r\nX-Evil: 1"}"#, "access_token contains characters that RFC 6750 does not allow"),
            (#"{"access_token":"t\n"}"#, "access_token contains characters that RFC 6750 does not allow"),
            (#"{"access_token":"t\u0000"}"#, "access_token contains characters that RFC 6750 does not allow"),
            (#"{"access_token":"a b"}"#, "access_token contains characters that RFC 6750 does not allow"),
            (#"{"access_token":"é"}"#, "access_token contains characters that RFC 6750 does not allow"),
            (#"{"access_token":"="}"#, "access_token contains characters that RFC 6750 does not allow"),
            (#"{"access_token":"a=b"}"#, "access_token contains characters that RFC 6750 does not allow"),
            (#"{"access_token":"t","token_type":"DPoP"}"#, "token_type is DPoP and only bearer is supported"),
            (#"{"access_token":"t","token_type":"mac"}"#, "token_type is mac and only bearer is supported"),
            (
                #"{"access_token":"t","token_type":"a\r\nb"}"#,
                "token_type is of another kind and only bearer is supported"
            ),
            (
                #"{"access_token":"tokenvalue","token_type":"tokenvalue"}"#,
                "token_type is of another kind and only bearer is supported"
            ),
            (
                #"{"access_token":"t","token_type":"s3cret"}"#,
                "token_type is of another kind and only bearer is supported"
            ),
            (#"{"access_token":"t","token_type":""}"#, "token_type is of another kind and only bearer is supported"),
            (#"{"access_token":"t","token_type":7}"#, "token_type is not a text"),
            (#"{"access_token":"t","expires_in":0}"#, "expires_in is less than one second"),
            (#"{"access_token":"t","expires_in":-1}"#, "expires_in is less than one second"),
            (#"{"access_token":"t","expires_in":"-3600"}"#, "expires_in is less than one second"),
            (#"{"access_token":"t","expires_in":0.5}"#, "expires_in is less than one second"),
            (#"{"access_token":"t","expires_in":-1e300}"#, "expires_in is less than one second"),
            (#"{"access_token":"t","expires_in":"NaN"}"#, "expires_in is not a number"),
            (#"{"access_token":"t","expires_in":"inf"}"#, "expires_in is not a number"),
            (#"{"access_token":"t","expires_in":"0x10"}"#, "expires_in is not a number"),
            (#"{"access_token":"t","expires_in":"1 hour"}"#, "expires_in is not a number"),
            (#"{"access_token":"t","expires_in":""}"#, "expires_in is not a number"),
            (#"{"access_token":"t","expires_in":true}"#, "expires_in is not a number"),
            (#"{"access_token":"t","expires_in":[3600]}"#, "expires_in is not a number"),
            (#"{"access_token":"t","expires_in":{}}"#, "expires_in is not a number"),
        ] as [(String, String)])
    func unusable(body: String, reason: String) {
        let failure = failure(TokenResponse(status: 200, body: Array(body.utf8)))
        #expect(failure?.error.kind == .badTokenResponse)
        #expect(failure?.isDefinitive == false)
        let message =
            "the token server idp.test answered without a usable token (\(reason)): \(Self.advice(for: reason))"
        #expect(failure?.error.message == message)
    }

    /// Each reason has advice of its own: only what no token endpoint answers is put down to the address.
    private static func advice(for reason: String) -> String {
        switch reason {
        case _ where reason.hasPrefix("token_type is DPoP"):
            "set dpop, or let the server issue bearer tokens to this client"
        case _ where reason.hasPrefix("token_type"): "let the server issue bearer tokens to this client"
        case _ where reason.hasPrefix("expires_in"): "let the server state the lifetime of its token in seconds"
        case _ where reason.hasPrefix("access_token contains"):
            "let the server issue tokens that fit into a header field"
        default: "check that the address is that of a token endpoint"
        }
    }

    @Test(
        "A type that holds eight characters of a secret, or is a quarter of one, is not shown; a shorter part is",
        arguments: [
            ("eyJabMaCd34567890", "mac", "mac"), ("eyJabMaCd34567890", "ABMA", "of another kind"),
            ("eyJabMaCd34567890123456789012345", "ABMACD3", "ABMACD3"),
            ("eyJabMaCd34567890123456789012345", "x-abmacd34-x", "of another kind"),
        ])
    func partOfSecret(secret: String, type: String, shown: String) throws {
        let reader = try Self.reader(.clientCredentials, hiding: [secret])
        let body = #"{"access_token":"t","token_type":"\#(type)"}"#
        guard case .failure(let failure) = Self.read(TokenResponse(status: 200, body: Array(body.utf8)), by: reader)
        else {
            Issue.record("the token is usable")
            return
        }
        #expect(failure.error.message.contains("token_type is \(shown) and only"))
    }

    @Test(
        "The error about an unbound token points to the server's settings, or to dpop",
        arguments: [
            (#""token_type":"Bearer""#, "token_type is Bearer: the server did not bind the token to the key of dpop"),
            (#""x":1"#, "token_type is missing, and dpop requires a token that is bound to its key"),
            (#""token_type":7"#, "token_type is not a text"),
        ])
    func unbound(member: String, reason: String) throws {
        let body = #"{"access_token":"t",\#(member)}"#
        let failure = try boundFailure(TokenResponse(status: 200, body: Array(body.utf8)))
        let message =
            "the token server idp.test answered without a usable token (\(reason)): "
            + "let the server bind the tokens of this client, or remove dpop"
        #expect(failure?.error.message == message)
    }

    private func boundFailure(_ response: TokenResponse) throws -> FetchFailure? {
        let url = try TokenURL("https://idp.test/token")
        let grant = TokenGrant(GrantDraft(.clientCredentials, "x", at: .url(url), TLSSettings()))
        let key = try ProofKey(SecretTexts([.proofKey: SecretText(SampleKey.p256.rawValue)]))
        let reader = TokenAnswer(from: url, to: grant, hiding: [], boundTo: key)
        do throws(FetchFailure) {
            _ = try reader.read(response, sent: Sample.start, received: Sample.start, unixTime: 0, random: 0)
            return nil
        } catch { return error }
    }

    @Test func `A number that no Double can hold is a failure and no crash`() {
        let body = #"{"access_token":"t","expires_in":1e999}"#
        #expect(failure(TokenResponse(status: 200, body: Array(body.utf8)))?.error.kind == .badTokenResponse)
        let deep = String(repeating: "[", count: 100_000)
        #expect(failure(TokenResponse(status: 200, body: Array(deep.utf8)))?.error.kind == .badTokenResponse)
        let broken: [UInt8] = [0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]
        #expect(failure(TokenResponse(status: 200, body: broken))?.error.kind == .badTokenResponse)
    }

    @Test(
        "Ambiguous JSON is refused",
        arguments: [
            (Array(#"{"access_token":"t","access_token":"u"}"#.utf8), "the body has two members with the same name"),
            (
                Array(#"{"access_token":"t","expires_in":1,"expires_in":9}"#.utf8),
                "the body has two members with the same name"
            ),
            (
                Array(#"{"access_token":"t","\u0061ccess_token":"u"}"#.utf8),
                "the body has two members with the same name"
            ),
            (Array(#"{"a\"b":1,"access_token":"t","a\"b":2}"#.utf8), "the body has two members with the same name"),
            (
                Array(#"{"x":{"y":[{"z":"}"}]},"access_token":"t","x":1}"#.utf8),
                "the body has two members with the same name"
            ),
            (utf16(#"{"access_token":"t"}"#, bigEndian: true), "the body is not JSON in UTF-8"),
            (utf16(#"{"access_token":"t"}"#, bigEndian: false), "the body is not JSON in UTF-8"),
            ([0xfe, 0xff] + utf16(#"{"access_token":"t"}"#, bigEndian: true), "the body is not JSON in UTF-8"),
            (
                [0xef, 0xbb, 0xbf] + Array(#"{"access_token":"t"}"#.utf8),
                "the body begins with a byte order mark, which JSON must not have (RFC 8259)"
            ),
            ([0x1f, 0x8b, 8, 0], "the body is compressed with gzip, which the request did not ask for"),
            (Array(#"{"access_token":"t"}"#.utf8) + [0], "the body is not JSON in UTF-8"),
            (Array(#"{"access_token":"t","x":""#.utf8) + [0xc0, 0xaf, 0x22, 0x7d], "the body is not JSON in UTF-8"),
        ] as [([UInt8], String)])
    func ambiguous(body: [UInt8], reason: String) {
        let failure = failure(TokenResponse(status: 200, body: body))
        #expect(failure?.error.kind == .badTokenResponse)
        let end = "(\(reason)): the server's operator has to correct its responses"
        #expect(failure?.error.message.hasSuffix(end) == true, "\(String(describing: failure))")
    }

    @Test func `Names may repeat in other objects, as values and as parts of other names`() throws {
        let body =
            #"{"access_token":"access_token","x":{"access_token":1,"access_token":2},"access_token2":"","l":["x","x"]}"#
        #expect(try read(TokenResponse(status: 200, body: Array(body.utf8))).get().value == "access_token")
    }

    @Test(
        "A token of type N_A is not an access token, whatever was requested (RFC 8693 section 2.2.1)",
        arguments: [GrantKind.tokenExchange, .clientCredentials])
    func notApplicable(kind: GrantKind) throws {
        let body = TokenResponse(status: 200, body: Array(#"{"access_token":"t","token_type":"N_A"}"#.utf8))
        let failure = try Self.failure(body, kind)
        #expect(failure?.error.kind == .badTokenResponse)
        #expect(
            failure?.error.message.contains(
                "token_type is N_A, so the issued token is not an access token") == true)
        #expect(failure?.error.message.hasSuffix("requestedTokenType asks for one") == true)
    }

    @Test func `A partial response (206) brings no token, except for its refresh token`() {
        let body = Array(#"{"access_token":"t","expires_in":60,"refresh_token":"r1"}"#.utf8)
        let partial = failure(TokenResponse(status: 206, body: body))
        #expect(partial?.error.message.contains("it is a partial response (206)") == true)
        #expect(partial?.refreshToken == .usable(SecretText("r1")))
        let cut = failure(TokenResponse(status: 206, body: Array(body.dropLast(3))))
        #expect(cut?.error.message.contains("it is a partial response (206)") == true)
    }

    @Test(
        "Without expires_in a JWT lives for exp - iat or exp - now, whichever is less",
        arguments: [(0, 3600), (1000, 3600), (4000, 600), (4599, 1), (4599.5, nil), (4600, nil), (9000, nil)]
            as [(Double, Double?)])
    func lifeOfJWT(unixTime: Double, life: Double?) {
        let response = TokenResponse(status: 200, body: Array(#"{"access_token":"\#(Self.token)"}"#.utf8))
        let result = read(response, unixTime: unixTime)
        let expected = life.map {
            AccessToken(
                value: Self.token, life: .seconds($0), sent: Sample.start, received: Sample.start, random: 0)
        }
        #expect((try? result.get()) == expected)
        guard expected == nil else { return }
        #expect(
            failure(response, unixTime: unixTime)?.error.message.contains("access_token has expired by its exp") == true
        )
    }

    @Test func `A JWT with only exp lives until then`() throws {
        // {"exp":"4600"}
        let body = #"{"access_token":"e30.eyJleHAiOiI0NjAwIn0.c2ln"}"#
        let token = try read(TokenResponse(status: 200, body: Array(body.utf8)), unixTime: 4500).get()
        #expect(token.usableUntil == Sample.at(95))
    }

    @Test(
        "A usable refresh token is kept, and an unusable one is reported",
        arguments: [
            (#""r1""#, .kept("r1")), (#""a b~""#, .kept("a b~")), (#""é日""#, .kept("é日")), (#""""#, nil), ("1", nil),
            ("null", nil), (#"["r"]"#, nil), (#""a\nb""#, .control), (#""\u007f""#, .control), (#""\u0085""#, .control),
            ("\"" + String(repeating: "r", count: 65_536) + "\"", .kept(String(repeating: "r", count: 65_536))),
            ("\"" + String(repeating: "r", count: 65_537) + "\"", .unusable("has 65537 bytes, more than 65536")),
        ] as [(String, GivenRefreshToken?)])
    func refreshToken(json: String, expected: GivenRefreshToken?) throws {
        let body = #"{"access_token":"t","refresh_token":\#(json)}"#
        let granted = try reader.read(
            TokenResponse(status: 200, body: Array(body.utf8)), sent: Sample.start, received: Sample.start, unixTime: 0,
            random: 0)
        #expect(granted.refreshToken == expected)
        #expect(!String(reflecting: granted).contains("r1"))
    }

    @Test(
        "A refresh token with an unusable access token comes with the failure",
        arguments: [
            (200, #""access_token":"t","token_type":"mac""#, "r1"), (200, #""access_token":"t","expires_in":0"#, "r1"),
            (200, #""access_token":"a b""#, "r1"), (200, #""x":1"#, "r1"), (201, #""access_token":"""#, "r1"),
            (200, #""access_token":"t","error":"invalid_scope""#, nil), (400, #""access_token":"t""#, nil),
        ] as [(Int, String, String?)])
    func failureWithRefreshToken(status: Int, members: String, expected: String?) {
        let body = #"{\#(members),"refresh_token":"r1"}"#
        let failure = failure(TokenResponse(status: status, body: Array(body.utf8)))
        #expect(failure != nil)
        #expect(failure?.refreshToken == expected.map { .usable(SecretText($0)) })
        #expect(!String(reflecting: failure).contains("r1"))
    }

    @Test(
        "The advice about a refusal depends on the grant",
        arguments: [
            (.refreshToken, "invalid_grant", "put a new one into its file"), (.jwtBearer, "invalid_grant", "assertion"),
            (.tokenExchange, "invalid_grant", "subject token"), (.apikey, "invalid_grant", "check the API key"),
            (.tokenExchange, "unauthorized_client", "token-exchange grant"),
            (.refreshToken, "unsupported_grant_type", "refresh_token grant"),
        ] as [(GrantKind, String, String)])
    func advice(kind: GrantKind, code: String, advice: String) throws {
        let response = TokenResponse(status: 400, body: Array(#"{"error":"\#(code)"}"#.utf8))
        var found: FetchFailure?
        let reader = try Self.reader(kind)
        do throws(FetchFailure) {
            _ = try reader.read(response, sent: Sample.start, received: Sample.start, unixTime: 0, random: 0)
        } catch { found = error }
        #expect(found?.error.message.contains(advice) == true, "\(String(describing: found))")
    }

    private static func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
        text.utf16.flatMap { unit in
            let bytes = [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)]
            return bigEndian ? bytes : bytes.reversed()
        }
    }

    @Test func `HTML is recognised by its type too, and an absurdly long token is refused`() {
        let page = TokenResponse(status: 200, contentType: "text/HTML; charset=utf-8", body: Array("Sign in".utf8))
        #expect(failure(page)?.error.message.contains("a page of HTML") == true)
        let long = #"{"access_token":"\#(String(repeating: "a", count: 65_537))"}"#
        let failure = failure(TokenResponse(status: 200, body: Array(long.utf8)))
        #expect(failure?.error.message.contains("longer than 65536 bytes): no backend accepts such a token") == true)
    }

    @Test(
        "A refusal that only a change of settings can end is definitive",
        arguments: [
            (400, "invalid_client"), (401, "invalid_client"), (400, "invalid_scope"), (400, "unauthorized_client"),
            (400, "invalid_grant"), (400, "unsupported_grant_type"), (400, "invalid_request"), (400, "invalid_target"),
            (400, "access_denied"), (200, "invalid_client"), (403, "whatever"), (401, "whatever"),
        ])
    func definitive(status: Int, code: String) {
        let failure = failure(
            TokenResponse(status: status, body: Array(#"{"error":"\#(code)","access_token":"t"}"#.utf8)))
        #expect(failure?.error.kind == .tokenServerRefused(status: status, oauthError: code))
        #expect(failure?.isDefinitive == true)
        #expect(failure?.error.message.hasPrefix("the token server idp.test answered \(status) \(code): ") == true)
    }

    @Test("An empty 401 or 403 is a definitive refusal", arguments: [401, 403])
    func empty(status: Int) {
        let failure = failure(TokenResponse(status: status))
        #expect(failure?.error.kind == .tokenServerRefused(status: status, oauthError: nil))
        #expect(failure?.isDefinitive == true)
        let message =
            "the token server idp.test answered \(status): "
            + "write the clientId of a client that the server knows, and its secret or key"
        #expect(failure?.error.message == message)
    }

    @Test(
        "The advice about a refused client depends on its authentication",
        arguments: [
            (.basic(.literal("x")), "clientSecret, or write clientAuthentication: basicRaw or post in the"),
            (.basicRaw(.literal("x")), "clientSecret, or write clientAuthentication: basic or post"),
            (.post(.literal("x")), "clientSecret, or write clientAuthentication: basic"),
            (.clientSecretJwt(.literal("x")), "clientSecret, the audience in clientAssertion, and this machine"),
            (.privateKeyJwt(.value(.literal("x"))), "the key that the server has for it, the audience in client"),
            (.mutualTls, "that the server knows the client certificate and it has not expired"),
            (.none, "that the server accepts this client without a secret"),
        ] as [(ClientAuthentication, String)], [(400, #"{"error":"invalid_client"}"#), (403, "")])
    func clientRefused(_ client: (ClientAuthentication, String), _ answer: (Int, String)) throws {
        let url = try TokenURL("https://idp.test/token")
        var draft = GrantDraft(.clientCredentials, "x", at: .url(url), TLSSettings())
        draft.authenticate(OAuthClient(id: "c", authentication: client.0))
        let reader = TokenAnswer(from: url, to: TokenGrant(draft), hiding: [])
        #expect {
            try reader.read(
                TokenResponse(status: answer.0, body: Array(answer.1.utf8)), sent: Sample.start, received: Sample.start,
                unixTime: 0,
                random: 0)
        } throws: { error in
            (error as? FetchFailure)?.error.message.contains("check clientId") == true
                && (error as? FetchFailure)?.error.message.contains(client.1) == true
        }
    }

    @Test(
        "Every other failure is tried again",
        arguments: [
            (500, ""), (502, "<html>"), (503, #"{"error":"temporarily_unavailable"}"#),
            (500, #"{"error":"invalid_client"}"#),
            (429, ""), (429, #"{"error":"invalid_request"}"#), (400, ""), (400, #"{"error":"slow_down"}"#),
            (400, #"{"error":{"code":1}}"#), (404, ""), (405, ""), (408, ""), (200, #"{"error":"server_error"}"#),
        ])
    func passing(status: Int, body: String) {
        #expect(failure(TokenResponse(status: status, body: Array(body.utf8)))?.isDefinitive == false)
    }

    @Test(
        "The error about a refused proof points to clock, key or nonce, not to the client, and another proof is tried",
        arguments: [
            (
                "invalid_dpop_proof",
                "attache tries again with a new proof; if the error persists, compare this machine's clock with the server's, "
                    + "and check the key of dpop"
            ),
            (
                "use_dpop_nonce",
                "attache tries again with the server's newest nonce; if the error persists, check that the server sends a "
                    + "DPoP-Nonce"
            ),
        ], [400, 401, 403])
    func proofRefused(_ error: (code: String, advice: String), _ status: Int) throws {
        let response = TokenResponse(status: status, body: Array(#"{"error":"\#(error.code)"}"#.utf8))
        let failure = try boundFailure(response)
        #expect(
            failure?.error.message == "the token server idp.test answered \(status) \(error.code): \(error.advice)")
        #expect(failure?.isDefinitive == false)
    }

    @Test(
        "The error of a server that requires a proof says which setting is missing",
        arguments: ["invalid_dpop_proof", "use_dpop_nonce"])
    func proofWanted(code: String) {
        let failure = failure(TokenResponse(status: 400, body: Array(#"{"error":"\#(code)"}"#.utf8)))
        let message = "the token server idp.test answered 400 \(code): it requires a proof of possession: set dpop"
        #expect(failure?.error.message == message)
        #expect(failure?.isDefinitive == true)
    }

    @Test("A redirect is named in the error and never followed", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) {
        let failure = failure(TokenResponse(status: status, body: Array(#"{"access_token":"t"}"#.utf8)))
        #expect(failure?.error.message.contains("a redirect is never followed") == true)
        #expect(failure?.isDefinitive == false)
    }

    @Test(
        "A server's error is shown only if it is one plain word",
        arguments: [
            ("temporarily_unavailable", "temporarily_unavailable"), ("a1.b-c_d", "a1.b-c_d"), ("", nil), ("a b", nil),
            ("a\\r\\nb", nil), ("Y2lkOnMzY3JldA", nil), ("s3cret", nil), ("my-s3cret-is", nil), ("3cre", nil),
            (String(repeating: "a", count: 41), nil), ("é", nil), ("<script>", nil),
        ] as [(String, String?)])
    func words(code: String, shown: String?) {
        let failure = failure(TokenResponse(status: 400, body: Array(#"{"error":"\#(code)"}"#.utf8)))
        #expect(failure?.error.kind == .tokenServerRefused(status: 400, oauthError: shown))
        let summary = shown.map { "400 \($0)" } ?? "400 with an error"
        #expect(failure?.error.message.contains(" answered \(summary): ") == true)
    }

    @Test func `Retry-After is read in every response`() {
        #expect(failure(TokenResponse(status: 429, retryAfter: "7"))?.retryAfter == .seconds(7))
        #expect(failure(TokenResponse(status: 503, retryAfter: "soon"))?.retryAfter == nil)
        let date = TokenResponse(status: 503, retryAfter: "Thu, 01 Jan 1970 00:00:42 GMT")
        #expect(failure(date)?.retryAfter == .seconds(42))
        #expect(failure(TokenResponse(status: 200, retryAfter: "9"))?.retryAfter == .seconds(9))
    }

    @Test func `The transport's message is shown unless it contains the secret`() {
        let plain = reader.unreachable(TokenTransportError(message: "connection refused"))
        #expect(plain.error.kind == .tokenServerUnreachable)
        let message =
            "the token server idp.test gave no answer (connection refused): "
            + "check its address and the network to it"
        #expect(plain.error.message == message)
        #expect(plain.isDefinitive == false)
        let advised = reader.unreachable(TokenTransportError(message: "not trusted; set it", saysWhatToDo: true))
        #expect(advised.error.message == "the token server idp.test gave no answer (not trusted; set it)")
        let leaking = reader.unreachable(TokenTransportError(message: "sent s3cret in vain"))
        #expect(!leaking.error.message.contains("s3cret"))
    }

    private let reader: TokenAnswer

    init() throws {
        reader = try Self.reader(.clientCredentials)
    }

    private static func reader(_ kind: GrantKind, hiding hidden: [String] = ["s3cret"]) throws -> TokenAnswer {
        let url = try TokenURL("https://idp.test/token")
        let grant = TokenGrant(GrantDraft(kind, "x", at: .url(url), TLSSettings()))
        return TokenAnswer(from: url, to: grant, hiding: hidden)
    }

    private func read(_ response: TokenResponse, unixTime: Double = 0) -> Result<AccessToken, FetchFailure> {
        Self.read(response, by: reader, unixTime: unixTime)
    }

    private static func read(
        _ response: TokenResponse, by reader: TokenAnswer, unixTime: Double = 0
    ) -> Result<AccessToken, FetchFailure> {
        Result { () throws(FetchFailure) in
            try reader.read(response, sent: Sample.start, received: Sample.start, unixTime: unixTime, random: 0).token
        }
    }

    private func failure(_ response: TokenResponse, unixTime: Double = 0) -> FetchFailure? {
        guard case .failure(let failure) = read(response, unixTime: unixTime) else { return nil }
        return failure
    }

    private static func failure(_ response: TokenResponse, _ kind: GrantKind) throws -> FetchFailure? {
        guard case .failure(let failure) = read(response, by: try reader(kind)) else { return nil }
        return failure
    }
}

extension GivenRefreshToken {
    fileprivate static func kept(_ text: String) -> Self { .usable(SecretText(text)) }
    fileprivate static var control: Self { .unusable("contains a control character") }
}
