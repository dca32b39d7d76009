import HTTPWire
import ProxyCore
import Testing

@Suite("Whether a response refuses the attached token")
struct TokenChallengeTests {
    private func refuses(
        _ fields: [String], status: String = "401 Unauthorized", by rule: RefreshRule = .invalidToken
    ) throws -> Bool {
        try verdict(fields, status: status, by: rule) == .refused
    }

    private func verdict(
        _ fields: [String], status: String, by rule: RefreshRule
    ) throws -> TokenChallenge.Verdict {
        let bytes = latin1(head(["HTTP/1.1 \(status)"] + fields + ["Content-Length: 0"]))
        let response = try #require(try ResponseHead.parse(bytes.span, answering: .get, limits: HeadLimits()))
        return TokenChallenge.verdict(of: response, in: bytes.span, by: rule)
    }

    @Test(
        "A challenge with invalid_token refuses it",
        arguments: [
            "Bearer error=\"invalid_token\"", "bearer error=invalid_token", "BEARER ERROR=\"invalid_token\"",
            "Bearer realm=\"a, b\", error=\"invalid_token\", error_description=\"expired\"",
            "Bearer realm=\"quote \\\" and, comma\",error = \"invalid_token\"",
            "Basic realm=\"x\", Bearer realm=\"y\", error=\"invalid_token\"",
            "Negotiate abc==, Bearer error=\"invalid_token\"", "Negotiate, Bearer error=\"invalid_token\"",
            "DPoP error=\"invalid_token\", algs=\"ES256\"", ", , Bearer scope=\"a b\" , error=\"invalid_token\"",
            "Bearer realm=\"x\", error=\"insufficient_scope\", Bearer error=\"invalid_token\"",
            "Bearer error=\"invalid\\_token\"", "Bearer error=\"\\i\\n\\v\\a\\l\\i\\d_token\"",
            "Basic realm=\"ends with \\\\\", Bearer error=\"invalid_token\"", "Bearer  error=\"invalid_token\",",
        ])
    func refused(value: String) throws {
        #expect(try refuses(["WWW-Authenticate: \(value)"]))
        #expect(try refuses(["www-authenticate: Basic realm=\"x\"", "WWW-AUTHENTICATE: \(value)"]))
    }

    @Test(
        "Any other challenge does not refuse it",
        arguments: [
            "Bearer", "Bearer realm=\"error=\\\"invalid_token\\\"\"", "Bearer error=\"insufficient_scope\"",
            "Bearer error=\"Invalid_Token\"", "Basic error=\"invalid_token\"", "Bearer error_uri=\"invalid_token\"",
            "Bearer realm=\"x\", Basic error=\"invalid_token\"", "error=\"invalid_token\"", "Bearer =\"invalid_token\"",
            "Bearer error=\"invalid_token", "Bearer error=", "Bearer error=\"\"", "\"Bearer error=invalid_token\"",
            "Bearer x\\", "Bearer \"", "", "Bearer error=\"invalid_token\\\"", "Bearer error=\"invalid_token\\\\\"",
            "Bearer error=\"invalid_tok\\\\en\"", "Bearer error=invalid\\_token", "Bearer error='invalid_token'",
            "Bearer/x, error=\"invalid_token\"", "Bearer\"x\", error=\"invalid_token\"",
            "Bearer; error=\"invalid_token\"",
            "Bearerx error=\"invalid_token\"", "X-Bearer error=\"invalid_token\"", "Bearer error*=\"invalid_token\"",
            "Bearer error=\"x\"error=\"invalid_token\"", "Basic realm=\"open, Bearer error=\"invalid_token\"",
            "Basic realm=\"ends with \\\", Bearer error=\"invalid_token\"",
        ])
    func passed(value: String) throws {
        #expect(try refuses(["WWW-Authenticate: \(value)"]) == false)
    }

    @Test("The route's rule decides, and only a 401 counts")
    func rules() throws {
        let challenge = ["WWW-Authenticate: Bearer error=\"invalid_token\""]
        #expect(try refuses(challenge, by: .never) == false)
        #expect(try refuses(challenge, by: .unauthorized))
        #expect(try refuses([], by: .unauthorized))
        #expect(try refuses([]) == false)
        for status in ["200 OK", "403 Forbidden", "407 Proxy Authentication Required", "500 No"] {
            #expect(try refuses(challenge, status: status) == false)
            #expect(try refuses(challenge, status: status, by: .unauthorized) == false)
        }
    }

    @Test(
        "The code of a refusal is its first error, else its first scheme",
        arguments: [
            (["Bearer error=\"invalid_token\""], "invalid_token"),
            (["Bearer realm=\"x\", error=insufficient_scope"], "insufficient_scope"),
            (["Basic realm=\"x\"", "DPoP error=\"use_dpop_nonce\""], "use_dpop_nonce"),
            (["Bearer error=\"a \\\"quoted\\\" one\""], "a \"quoted\" one"), (["Bearer error=\"\""], ""),
            (["Basic realm=\"error=x\""], "Basic"), (["Negotiate abc=="], "Negotiate"), (["Bearer, Basic"], "Bearer"),
            (["Bearer error_uri=\"x\""], "Bearer"), (["Bearer error=\"open"], "Bearer"), (["\"x\""], nil), ([""], nil),
            ([], nil),
        ] as [([String], String?)])
    func code(challenges: [String], expected: String?) throws {
        let bytes = latin1(
            head(["HTTP/1.1 401 No"] + challenges.map { "WWW-Authenticate: \($0)" } + ["Content-Length: 0"]))
        let response = try #require(try ResponseHead.parse(bytes.span, answering: .get, limits: HeadLimits()))
        let code = TokenChallenge.code(of: response, in: bytes.span)
        #expect(code.map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test("A condition is a status, with a text in a field or in the body")
    func conditions() throws {
        let rule = RefreshRule.conditions([
            RefusalCondition(status: 400, evidence: .body(contains: "Unknown kid")),
            RefusalCondition(status: 400, evidence: .body(contains: "Bad signature")),
            RefusalCondition(status: 400, evidence: .field(name: "x-error", contains: "expired")),
            RefusalCondition(status: 401),
        ])
        #expect(try verdict([], status: "401 No", by: rule) == .refused)
        #expect(try verdict([], status: "400 No", by: rule) == .dependsOnBody(["Unknown kid", "Bad signature"]))
        #expect(try verdict(["X-ERROR: token expired."], status: "400 No", by: rule) == .refused)
        #expect(try verdict(["X-Error: Expired"], status: "400 No", by: rule) != .refused)
        #expect(try verdict(["X-Errors: expired"], status: "400 No", by: rule) != .refused)
        #expect(try verdict(["X-Error: a", "X-Error: expired"], status: "400 No", by: rule) == .refused)
        for status in ["200 OK", "304 Not Modified", "402 No", "500 No"] {
            #expect(try verdict(["X-Error: expired"], status: status, by: rule) == .accepted)
        }
    }

    @Test("A parameter belongs to a challenge of its own line")
    func lines() throws {
        let parts = ["WWW-Authenticate: Bearer realm=\"x\"", "WWW-Authenticate: error=\"invalid_token\""]
        #expect(try refuses(parts) == false)
        let split = ["WWW-Authenticate: Bearer realm=\"x", "WWW-Authenticate: \", error=\"invalid_token\""]
        #expect(try refuses(split) == false)
        #expect(try refuses(["WWW-Authenticate: Basic", "X: y", "www-authenticate: DPoP error=invalid_token"]))
    }
}
