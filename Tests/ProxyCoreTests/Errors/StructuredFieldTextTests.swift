import ProxyCore
import Support
import Testing

@Suite struct StructuredFieldTextTests {
    @Test(
        "A text becomes the inside of a structured string",
        arguments: [
            ("", ""), (" plain ~", " plain ~"), ("a\"b\\c", "a\\\"b\\\\c"), ("\r\n", "??"), ("\u{7f}\0", "??"),
            ("\u{e9}", "?"), ("e\u{301}", "e?"), ("\u{1f600}!", "?!"), ("\"\u{301}", "\\\"?"),
        ])
    func string(_ text: String, _ expected: String) {
        #expect(StructuredFieldText.string(text) == expected)
    }

    @Test("Any text becomes a structured string with as many characters as it has scalars")
    func length() {
        var generator = SeededGenerator(seed: 0x150)
        for _ in 0..<500 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                let bound: UInt32 = generator.chance(1, of: 2) ? 0x80 : 0x11_0000
                if let scalar = Unicode.Scalar(UInt32.random(in: 0..<bound, using: &generator)) { text.append(scalar) }
            }
            let field = StructuredField("x; y=\"\(StructuredFieldText.string(String(text)))\"")
            #expect(field?.parameters["y"]?.unicodeScalars.count == text.count)
        }
    }
}
