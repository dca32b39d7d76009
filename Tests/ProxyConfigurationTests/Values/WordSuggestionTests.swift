import Testing

@testable import ProxyConfiguration

@Suite("Suggestions for a misspelt word")
struct WordSuggestionTests {
    private let keys = ["tokenUrl", "clientId", "clientSecret", "scope", "tls", "type"]

    @Test(
        "A typing error is recognised",
        arguments: [
            ("tokenURL", "tokenUrl"), ("token_url", "tokenUrl"), ("clientSecrte", "clientSecret"), ("scpoe", "scope"),
            ("tsl", "tls"), ("typ", "type"), ("ClientID", "clientId"),
        ])
    func slip(word: String, meant: String) {
        #expect(WordSuggestion.nearest(to: word, among: keys) == meant)
    }

    @Test(
        "A different word gets no suggestion",
        arguments: ["colour", "x", "", "password", String(repeating: "t", count: 1_000_000)])
    func other(word: String) {
        #expect(WordSuggestion.nearest(to: word, among: keys) == nil)
    }
}
