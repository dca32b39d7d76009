/// Text made safe for JSON (RFC 8259 section 7) and for a terminal.
///
/// Besides what JSON demands, it escapes characters that a terminal interprets instead of showing them: C1 controls,
/// direction marks and invisible ones.
package enum JSONText {
    /// The text as a JSON string with its quotes.
    package static func quoted(_ text: String) -> String { "\"\(escaped(text[...]))\"" }

    /// The inside of a JSON string.
    package static func escaped(_ text: Substring) -> String {
        guard text.utf8.contains(where: mayNeedEscape) else { return String(text) }
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{200b}"..."\u{200f}", "\u{2028}"..."\u{202e}",
                "\u{2060}"..."\u{206f}":
                let digits = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    private static func mayNeedEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte >= 0x7f || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }
}
