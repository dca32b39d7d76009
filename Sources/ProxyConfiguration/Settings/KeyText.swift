/// Decides which keys and names a message may quote: short ones without spaces and control characters.
enum KeyText {
    static func isWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && isName(text)
    }

    /// Whether a text may name a route or a credential, in logs, metrics and header fields.
    static func isName(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: "._-*:[]".utf8.contains(byte)
                }
            }
    }

    /// A path for a message, without control characters, which could change what a terminal shows.
    static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}

/// The unknown keys that a message may quote although they are near no known key.
enum KeyQuoting {
    case always
    /// Keys with a value. In `{clientSecret, hunter2}` the secret is a key without a value.
    case withValue
    /// No key: the mapping is in the place of a secret.
    case never

    func allows(_ entry: YAMLEntry) -> Bool {
        switch self {
        case .always: KeyText.isWord(entry.key)
        case .withValue: KeyText.isWord(entry.key) && !entry.value.isNull
        case .never: false
        }
    }
}

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
