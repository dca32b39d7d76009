import Testing

@Suite("Inlinable members")
struct InlinableTests {
    /// The compiler ignores `@inlinable package` on a member of a type without `@usableFromInline`, and says nothing.
    @Test("A type with an inlinable member is usable from inline")
    func typesAreUsable() {
        let usable = Set(SourceFile.shipped.flatMap(Self.usableTypes))
        for file in SourceFile.shipped {
            for (line, type) in Self.inlinableMembers(file) where !usable.contains(type) {
                Issue.record(
                    "\(file.path):\(line): \(type) lacks @usableFromInline, so its @inlinable member is not inlined")
            }
        }
    }

    @Test("The rule finds a member of a type that lacks the attribute, and no other")
    func rule() {
        let file = SourceFile(
            path: "Sources/A/A.swift",
            text: """
                package struct Plain {
                    @inlinable package var a: Int { 0 }
                }
                @usableFromInline package struct Usable {
                    @inlinable package init() {}
                }
                @usableFromInline
                final class Other {
                    func b() {}
                }
                extension Other {
                    @inlinable func c() {}
                }
                """)
        #expect(Self.usableTypes(file) == ["Usable", "Other"])
        #expect(Self.inlinableMembers(file).map(\.type) == ["Plain", "Usable", "Other"])
    }

    private static func usableTypes(_ file: SourceFile) -> [String] {
        file.code.indices.compactMap { index in
            guard let type = typeName(file.code[index]) else { return nil }
            let above = index > 0 ? file.code[index - 1] : ""
            let isUsable = file.code[index].contains("@usableFromInline") || above.contains(/^\s*@usableFromInline\s*$/)
            return isUsable || isOfTheLibrary(type) ? type : nil
        }
    }

    /// Members with the attribute, by line and by the innermost type around them.
    private static func inlinableMembers(_ file: SourceFile) -> [(line: Int, type: String)] {
        var around: [(depth: Int, name: String)] = []
        var found: [(Int, String)] = []
        for (index, line) in file.code.enumerated() where line.contains(/\S/) {
            let depth = line.prefix { $0 == " " }.count
            around.removeAll { $0.depth >= depth }
            if line.contains(/@inlinable\b/), let type = around.last?.name { found.append((index + 1, type)) }
            if let type = typeName(line) { around.append((depth, type)) }
        }
        return found
    }

    private static func typeName(_ line: String) -> String? {
        line.firstMatch(of: /\b(?:class|struct|enum|actor|extension)\s+([A-Z]\w*)/).map { String($0.1) }
    }

    /// Types that we only extend are usable everywhere.
    private static func isOfTheLibrary(_ type: String) -> Bool { ["Span", "StaticString", "Array"].contains(type) }
}
