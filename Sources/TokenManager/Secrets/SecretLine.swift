/// A secret on a single line, as all are except keys and certificates in PEM.
package enum SecretLine {
    /// The text without one final line break, which editors write.
    package static func trimmed(_ text: String) -> String {
        // "\r\n" is one Character.
        guard let last = text.last, last == "\n" || last == "\r\n" else { return text }
        return String(text.dropLast())
    }

    /// Whether the text holds nothing but line breaks.
    package static func isEmpty(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    }

    /// Why a trimmed text is not one line, as the rest of a sentence that quotes no part of it; nil if it is.
    package static func problem(_ text: String) -> String? {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
            ? nil : "contains a second line or another control character: write the value alone, on one line"
    }
}
