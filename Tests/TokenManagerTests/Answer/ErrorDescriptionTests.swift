import Testing

@testable import TokenManager

@Suite("A token server's error_description")
struct ErrorDescriptionTests {
    private static let secret = "hunter2-Correct-Horse"

    @Test(
        "is shown as plain words in quotes",
        arguments: [
            ("Client not found", "\"Client not found\""), (" a\r\n\tb  c ", "\"a b c\""), ("", nil), (" \n", nil),
            ("say \"no\" \\ twice", "\"say no twice\""), ("n\u{0}o é\u{1b}[31m", "\"n o [31m\""),
            (
                "Trace ID: 5d1f0f6e-3b1c-4f0e-9a52-000000000000",
                "\"Trace ID: 5d1f0f6e-3b1c-4f0e-9a52-000000000000\""
            ),
            ("token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln ended", "\"token ... ended\""),
        ] as [(String, String?)])
    func plain(text: String, shown: String?) {
        #expect(ErrorDescription.shown(text, hiding: [Self.secret]) == shown)
    }

    @Test(
        "is left out if it contains a secret, or eight characters of one in a row",
        arguments: [
            Self.secret, "the secret \(Self.secret) is wrong", "HUNTER2-CORRECT-HORSE", "hunter2-...", "...ct-Horse",
            "hun\"ter2-\"Cor", "x hunter2-Correct",
        ])
    func hidden(text: String) {
        #expect(ErrorDescription.shown(text, hiding: ["", Self.secret]) == nil)
    }

    @Test func `may share less than eight characters with a long secret, but contains no short one`() {
        #expect(ErrorDescription.shown("hunter is away", hiding: [Self.secret]) == "\"hunter is away\"")
        #expect(ErrorDescription.shown("the cat is away", hiding: ["cat"]) == nil)
    }

    @Test func `is at most 200 characters long`() throws {
        let words = Array(repeating: "word", count: 100).joined(separator: " ")
        let shown = try #require(ErrorDescription.shown(words, hiding: []))
        #expect(shown.utf8.count == 202)
        #expect(shown.hasSuffix("...\""))
        #expect(ErrorDescription.shown(String(repeating: "a ", count: 4000), hiding: []) == nil)
    }

    @Test func `follows status and error in the message`() throws {
        let simulation = Simulation([try .client(secret: .literal(Self.secret))])
        for (description, text) in [
            ("Client is locked", "401 invalid_client, \"Client is locked\": "), (Self.secret, "401 invalid_client: "),
        ] {
            let caller = simulation.ask()
            simulation.answer(.status(401, #"{"error":"invalid_client","error_description":"\#(description)"}"#))
            #expect(try #require(caller.error).message.contains(text))
            simulation.advance(.seconds(11))
        }
    }
}
