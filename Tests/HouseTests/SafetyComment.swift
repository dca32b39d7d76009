/// Finds the `SAFETY:` comment that answers for a line with an unsafe expression or an unchecked promise.
///
/// It may stand in the same function or closure above the line, above the function, or above the type, where it then
/// answers for all that the type does with a handle of its own. Scopes are told by indentation, which the formatter
/// keeps.
struct SafetyComment {
    private let file: SourceFile
    private let opensType: [Bool]

    init(file: SourceFile) {
        self.file = file
        let declaration = /(?:^|\s)(?:class|struct|enum|actor|extension|protocol)\s\w.*\{$/
        opensType = file.code.map { $0.contains(declaration) }
    }

    /// Whether a line of code does what the compiler cannot check: `unsafe`, `@safe`, `@unchecked Sendable`.
    static func isAsked(for line: String) -> Bool {
        // Unicode's own word boundary, the default, sees none at the dot of `a.b`.
        line.contains(/\bunsafe\b|@safe\b|@unchecked\s+Sendable\b/.wordBoundaryKind(.simple))
    }

    func covers(_ index: Int) -> Bool {
        if file.lines[index].contains("SAFETY:") { return true }
        if commentBlock(above: index).contains(where: { $0.contains("SAFETY:") }) { return true }
        var inner = index
        while let outer = encloser(of: inner) {
            let inside = opensType[outer] ? inner...inner : outer...inner
            if file.lines[inside].contains(where: { $0.contains("SAFETY:") }) { return true }
            if commentBlock(above: outer).contains(where: { $0.contains("SAFETY:") }) { return true }
            inner = outer
        }
        return commentBlock(above: inner).contains { $0.contains("SAFETY:") }
    }

    /// The line that opens the scope around a line; of a declaration over several lines, the first.
    private func encloser(of index: Int) -> Int? {
        let depth = Self.indentation(file.lines[index])
        guard depth > 0, let opening = above(index, where: { $0 < depth }) else { return nil }
        guard file.code[opening].drop(while: { $0 == " " }).hasPrefix(")") else { return opening }
        let head = Self.indentation(file.lines[opening])
        return above(opening) { $0 <= head } ?? opening
    }

    private func above(_ index: Int, where fits: (Int) -> Bool) -> Int? {
        file.code[..<index].indices.last { line in
            file.code[line].contains { $0 != " " } && fits(Self.indentation(file.lines[line]))
        }
    }

    /// Comments and attributes that stand directly above a line.
    private func commentBlock(above index: Int) -> ArraySlice<String> {
        var start = index
        while start > 0 {
            let line = file.lines[start - 1].drop { $0 == " " }
            guard line.hasPrefix("//") || line.hasPrefix("@") else { break }
            start -= 1
        }
        return file.lines[start..<index]
    }

    private static func indentation(_ line: String) -> Int { line.utf8.prefix { $0 == UInt8(ascii: " ") }.count }
}
