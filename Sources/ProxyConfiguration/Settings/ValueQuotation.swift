/// Quotes a value of the configuration at the end of a message.
///
/// Callers pass no secrets. User names, passwords and queries are left out, because they may hold one.
enum ValueQuotation {
    private static let longest = 80

    /// ` (found "5 seconds")`.
    static func suffix(_ value: String) -> String {
        var text = KeyText.printable(value)
        if let at = text.lastIndex(of: "@") {
            let scheme = text.firstRange(of: "://").map { text[..<$0.upperBound] } ?? ""
            text = "\(scheme)…\(text[at...])"
        }
        if let query = text.firstIndex(of: "?") { text = "\(text[...query])…" }
        if text.count > longest { text = "\(text.prefix(longest))…" }
        return " (found \"\(text)\")"
    }
}
