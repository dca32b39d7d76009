import Testing

@testable import ProxyConfiguration

@Suite("YAML as a tree with positions")
struct YAMLDocumentTests {
    private func document(_ text: String) -> YAMLDocument { YAMLDocument(Array(text.utf8)) }

    @Test("Every value has the line and column where it begins")
    func positions() {
        let document = document("a:\n  - x\n  - {b: 'y'}\n")
        #expect(document.faults.isEmpty)
        guard case .mapping(let top)? = document.root?.content, case .sequence(let items) = top[0].value.content,
            case .mapping(let inner) = items[1].content
        else {
            Issue.record("not the expected tree")
            return
        }
        #expect(top[0].keyPosition == SourcePosition(line: 1, column: 1))
        #expect(items[0] == YAMLNode(content: .scalar(text: "x", isPlain: true), position: .init(line: 2, column: 5)))
        #expect(inner[0].value.position == SourcePosition(line: 3, column: 9))
        #expect(inner[0].value.content == .scalar(text: "y", isPlain: false))
    }

    @Test("Columns count characters, not bytes")
    func characters() {
        guard case .mapping(let entries)? = document("{é: x, b: y}").root?.content else {
            Issue.record("not a mapping")
            return
        }
        #expect(entries[1].keyPosition == SourcePosition(line: 1, column: 8))
    }

    @Test(
        "An empty text has no tree and no error", arguments: ["", "\n", "# only a comment\n", "\u{FEFF}"])
    func empty(text: String) {
        let document = document(text)
        #expect(document.root == nil)
        #expect(document.faults.isEmpty)
    }

    @Test(
        "Features of YAML that a configuration does not need are refused with their position",
        arguments: [
            ("a: &x 1\n", 1, 4, "anchors and aliases are not supported"),
            ("a: *x\n", 1, 4, "anchors and aliases are not supported"),
            ("a: !!str 1\n", 1, 4, "tags are not supported"),
            ("a: 1\n---\nb: 2\n", 2, 1, "a second document begins here"),
            ("? [a]\n: 1\n", 1, 3, "a list or mapping cannot be a key"),
        ])
    func refused(text: String, line: Int, column: Int, message: String) {
        let faults = document(text).faults
        #expect(faults.first?.position == SourcePosition(line: line, column: column))
        #expect(faults.first?.message.hasPrefix(message) == true)
    }

    @Test(
        "A text that is not YAML is refused with its position",
        arguments: [
            ("a: [1, 2\n", 2, 1), ("a: 'x\n", 2, 1), ("\ta: 1\n", 1, 1), ("a: b: c\n", 1, 5), ("a: 1\n b: 2\n", 2, 3),
        ])
    func malformed(text: String, line: Int, column: Int) {
        let document = document(text)
        #expect(document.root == nil)
        #expect(document.faults.map(\.position) == [SourcePosition(line: line, column: column)])
    }

    @Test(
        "Bytes that are not text are refused with their position",
        arguments: [
            ([0x61, 0x3a, 0x20, 0x00], 1, 4), ([0xff, 0xfe, 0x61, 0x00], 1, 1), ([0x61, 0x0a, 0xc3, 0x28], 2, 2),
            ([0x61, 0x3a, 0x0a, 0x20, 0xf0, 0x9f], 2, 2), ([0xed, 0xa0, 0x80], 1, 1),
        ] as [([UInt8], Int, Int)])
    func notText(bytes: [UInt8], line: Int, column: Int) {
        let document = YAMLDocument(bytes)
        #expect(document.root == nil)
        #expect(document.faults.map(\.position) == [SourcePosition(line: line, column: column)])
    }

    @Test("Nesting ends at 64 levels, however it is written")
    func depth() {
        let inside = document(String(repeating: "[", count: 63) + "x" + String(repeating: "]", count: 63))
        #expect(inside.faults.isEmpty)
        #expect(inside.root != nil)
        for opening in ["[", "{a: ", "[{a: "] {
            let outside = document(String(repeating: opening, count: 200_000))
            #expect(outside.faults.count == 1)
            #expect(outside.faults[0].message.contains("levels deep") || outside.faults[0].message.contains("YAML"))
        }
    }

    @Test(
        "A megabyte of anything is read in a short time",
        arguments: ["- ", "a", "? ", "{", "a: ", "\n", "'", "#", "|\n", "&a "])
    func large(piece: String) {
        _ = document(String(repeating: piece, count: 1_048_576 / piece.utf8.count))
    }
}
