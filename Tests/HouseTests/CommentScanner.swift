/// Takes the comments and the contents of string literals out of Swift source, line by line.
///
/// It knows `//` comments, plain and raw string literals on one line, and literals of three quotes. Block comments
/// are refused by the linter, and what an interpolation holds counts as string content.
struct CommentScanner {
    private var isInsideLongLiteral = false

    /// The line's code; a string literal leaves its two quotes behind.
    mutating func code(in line: String) -> String {
        var kept = ""
        var rest = Substring(line)
        while let character = rest.first {
            if isInsideLongLiteral {
                guard let end = rest.firstRange(of: "\"\"\"") else { return kept }
                isInsideLongLiteral = false
                rest = rest[end.upperBound...]
            } else if rest.hasPrefix("//") {
                return kept
            } else if rest.hasPrefix("\"\"\"") {
                isInsideLongLiteral = true
                rest = rest.dropFirst(3)
            } else if character == "\"" {
                kept += "\"\""
                rest = Self.afterLiteral(
                    rest.dropFirst(), pounds: kept.dropLast(2).reversed().prefix { $0 == "#" }.count)
            } else {
                kept.append(character)
                rest = rest.dropFirst()
            }
        }
        return kept
    }

    /// What follows a literal whose opening quote has been read.
    private static func afterLiteral(_ text: Substring, pounds: Int) -> Substring {
        let escape = "\\" + String(repeating: "#", count: pounds)
        let end = "\"" + String(repeating: "#", count: pounds)
        var rest = text
        while !rest.isEmpty {
            if rest.hasPrefix(end) { return rest.dropFirst(end.count) }
            rest = rest.hasPrefix(escape) ? rest.dropFirst(escape.count + 1) : rest.dropFirst()
        }
        return rest
    }
}
