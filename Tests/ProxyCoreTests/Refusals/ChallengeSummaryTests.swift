import Testing

@testable import ProxyCore

@Suite("The summary of a backend's challenge")
struct ChallengeSummaryTests {
    private static let token = "canary-token-0451-abcdefgh"

    @Test(
        "It keeps scheme, realm, error code and scope, and nothing that may hold the token",
        arguments: [
            ("Bearer", "Bearer"),
            ("Bearer realm=\"api\", error=invalid_token", "Bearer realm=\"api\", error=\"invalid_token\""),
            (
                "Bearer error=\"insufficient_scope\", scope=\"read write\", error_description=\"canary-token-0451\"",
                "Bearer error=\"insufficient_scope\", scope=\"read write\""
            ),
            ("Bearer error_description=\"bad token Bearer canary-token-0451-abcdefgh\"", "Bearer"),
            ("Bearer realm=\"your token CANARY-TOKEN\", error=\"invalid_token\"", "Bearer error=\"invalid_token\""),
            ("Bearer realm=\"canary-\u{1b}token\"", "Bearer"),
            ("Bearer scope=\"canar\", realm=\"y\"", "Bearer scope=\"canar\", realm=\"y\""),
            ("canary-token-0451-abcdefgh", "…"),
            ("canary-token-0451-abcdefgh, Basic realm=\"a\"", "…, Basic realm=\"a\""),
            ("Bearer realm=\"a\u{9b}31mb\u{202e}\tc\"", "Bearer realm=\"a31mbc\""),
            ("Bearer realm=\"a\\\"b\"", "Bearer realm=\"ab\""), ("Negotiate, Bearer", "Negotiate, Bearer"),
            ("Bearer realm=\"a, b\", Basic", "Bearer realm=\"a, b\", Basic"), ("", nil), (",,", nil), ("=\"", "…"),
        ] as [(String, String?)])
    func summary(value: String, expected: String?) {
        #expect(TokenChallenge.summary(of: Array(value.utf8), hiding: [Self.token]) == expected)
    }

    @Test("A long value is cut")
    func long() {
        let value = "Bearer realm=\"\(String(repeating: "a", count: 500))\""
        let expected = "Bearer realm=\"\(String(repeating: "a", count: 100))…\""
        #expect(TokenChallenge.summary(of: Array(value.utf8), hiding: [Self.token]) == expected)
    }
}
