import HTTPWire
import ProxyCore
import Testing

@Suite("The nonce that a response asks for in a proof")
struct NonceChallengeTests {
    private func ask(_ fields: [String], status: String = "401 Unauthorized") throws -> (isAsked: Bool, nonce: String?)
    {
        let bytes = latin1(head(["HTTP/1.1 \(status)"] + fields + ["Content-Length: 0"]))
        let response = try #require(try ResponseHead.parse(bytes.span, answering: .get, limits: HeadLimits()))
        return (
            TokenChallenge.asksForNonce(response, in: bytes.span), TokenChallenge.nonce(response, in: bytes.span)
        )
    }

    @Test(
        "A challenge with use_dpop_nonce asks for one, wherever it is",
        arguments: [
            ["DPoP error=\"use_dpop_nonce\""], ["dpop error=use_dpop_nonce"], ["DPOP ERROR=\"use_dpop_nonce\""],
            ["DPoP error=\"use_dpop_nonce\", error_description=\"Resource server requires nonce in DPoP proof\""],
            ["DPoP algs=\"ES256, RS256\", error=\"use_dpop_nonce\""],
            ["Bearer realm=\"a, \\\"DPoP\\\" b\", DPoP algs=\"ES256\" , error = \"use_dpop_nonce\""],
            ["Negotiate YWJj==, DPoP error=\"use_dpop_nonce\""],
            ["Basic realm=\"x\"", "DPoP error=\"use_dpop_nonce\""],
            ["DPoP error=\"invalid_token\"", "DPoP error=\"use_dpop_nonce\""],
            ["DPoP error=\"use\\_dpop\\_nonce\""],
        ])
    func asked(values: [String]) throws {
        let fields = values.map { "WWW-Authenticate: \($0)" }
        #expect(try ask(fields).isAsked)
        #expect(try ask(values.map { "WWW-AUTHENTICATE:\($0)" }).isAsked)
        for status in ["200 OK", "400 Bad Request", "403 Forbidden"] {
            #expect(try !ask(fields, status: status).isAsked)
        }
    }

    @Test(
        "No other challenge asks for one",
        arguments: [
            [], ["DPoP"], ["DPoP error=\"invalid_dpop_proof\""], ["DPoP error=\"USE_DPOP_NONCE\""],
            ["Basic error=\"use_dpop_nonce\""], ["DPoP realm=\"error=\\\"use_dpop_nonce\\\"\""],
            ["DPoP error_description=\"use_dpop_nonce\""], ["DPoP error=\"use_dpop_nonce"], ["DPoP use_dpop_nonce"],
            ["DPoP error=\"use_dpop_nonce \""], ["DPoP/1 x, error=\"use_dpop_nonce\""],
            ["DPoP algs=\"ES256\"", "error=\"use_dpop_nonce\""],
        ])
    func notAsked(values: [String]) throws {
        #expect(try !ask(values.map { "WWW-Authenticate: \($0)" }).isAsked)
    }

    @Test(
        "A nonce is read from any response, in any case of the field's name",
        arguments: [
            "n", "eyJ7S_zG.eyJH0-Z.HX4w-7v", "!#$%&'()*+,-./:;<=>?@[]^_`{|}~", String(repeating: "n", count: 1024),
        ])
    func nonce(value: String) throws {
        for name in ["DPoP-Nonce", "dpop-nonce", "DPOP-NONCE"] {
            for status in ["200 OK", "401 Unauthorized", "500 No"] {
                #expect(try ask(["\(name): \(value) \t"], status: status).nonce == value)
            }
        }
    }

    @Test(
        "An invalid nonce is ignored",
        arguments: [
            "", " ", "a b", "a\tb", "\"a\"", "a\"", "a\\b", "a, b", "\u{e9}", "a\u{80}",
            String(repeating: "n", count: 1025), String(repeating: "n", count: 30_000),
        ])
    func noNonce(value: String) throws {
        #expect(try ask(["DPoP-Nonce: \(value)"]).nonce == nil)
        #expect(try ask(["DPoP-Nonce: \(value)", "DPoP-Nonce: good"]).nonce == nil)
        #expect(try ask(["DPoP-Nonce: good", "DPoP-Nonce: \(value)"]).nonce == nil)
    }

    @Test("Several lines count as one nonce if they agree, and as none if they do not")
    func several() throws {
        #expect(try ask(["DPoP-Nonce: a", "Dpop-Nonce: a", "DPOP-NONCE: a"]).nonce == "a")
        #expect(try ask(["DPoP-Nonce: a", "DPoP-Nonce: b"]).nonce == nil)
        #expect(try ask(["DPoP-Nonce: a", "DPoP-Nonce: A"]).nonce == nil)
        #expect(try ask(["DPoP: a", "X-DPoP-Nonce: b", "Nonce: c"]).nonce == nil)
    }
}
