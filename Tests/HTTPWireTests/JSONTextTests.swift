import FoundationEssentials
import HTTPWire
import Support
import Testing

@Suite struct JSONTextTests {
    @Test(
        "A text becomes a JSON string",
        arguments: [
            ("", "\"\""), ("plain text", "\"plain text\""), ("a\"b", "\"a\\\"b\""), ("a\\b", "\"a\\\\b\""),
            ("\r\n\t", "\"\\r\\n\\t\""), ("\0\u{1}\u{1f}\u{7f}", "\"\\u0000\\u0001\\u001f\\u007f\""),
            ("/</script>", "\"/</script>\""), ("\u{e9}\u{1f600}", "\"\u{e9}\u{1f600}\""),
            ("\"\u{301}", "\"\\\"\u{301}\""),
            ("\u{9b}31m\u{202e}\u{2066}\u{200b}", "\"\\u009b31m\\u202e\\u2066\\u200b\""),
        ])
    func quoted(_ text: String, _ expected: String) {
        #expect(JSONText.quoted(text).unicodeScalars.elementsEqual(expected.unicodeScalars))
        #expect("\"\(JSONText.escaped(text[...]))\"".unicodeScalars.elementsEqual(expected.unicodeScalars))
    }

    @Test("Any text survives JSON, scalar by scalar")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 0x150)
        for _ in 0..<500 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                let bound: UInt32 = generator.chance(1, of: 2) ? 0x80 : 0x11_0000
                if let scalar = Unicode.Scalar(UInt32.random(in: 0..<bound, using: &generator)) { text.append(scalar) }
            }
            let quoted = JSONText.quoted(String(text))
            #expect(!quoted.unicodeScalars.contains { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) })
            let back = try JSONDecoder().decode([String].self, from: Data("[\(quoted)]".utf8))
            #expect(back.count == 1 && back[0].unicodeScalars.elementsEqual(text))
        }
    }
}
