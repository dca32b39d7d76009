/// The error of a command line, fit for a log: only options keep their text, because any other word may be a
/// misplaced secret.
enum CommandLineFault {
    /// The parser's sentence with its quotations shortened.
    static func text(_ message: String) -> String {
        var parts = message.split(separator: "'", omittingEmptySubsequences: false).map { String($0) }
        for index in parts.indices where index % 2 == 1 {
            let word = parts[index].prefix { $0 != "=" && $0 != " " }
            parts[index] = word.hasPrefix("-") && word.utf8.count <= 40 ? String(word) : "…"
        }
        var text = parts.joined(separator: "'")
        while let last = text.utf8.last, last == UInt8(ascii: ".") || last == UInt8(ascii: "\n") { text.removeLast() }
        // `check` accepts a file in this form; the other commands do not.
        return text.hasPrefix("Unexpected argument") ? "\(text); a configuration file is named by --config" : text
    }
}
