/// A token server's `error_description` (RFC 6749 section 5.2) in a form that may be shown: short, plain and without
/// any part of a secret.
enum ErrorDescription {
    /// The longest description that is shown, in characters.
    static let longest = 200
    /// A longer word may be a token or a key; a UUID has 36 characters.
    static let longestWord = 36
    /// This many characters of a secret in a row count as a part of it, in any case of letters.
    static let secretPart = 8
    /// The longest description that is read, in characters.
    private static let longestRead = 4096

    /// The description in quotes; nil if nothing can be shown or it contains a part of a secret.
    static func shown(_ text: String, hiding hidden: [String]) -> String? {
        guard text.utf8.count <= longestRead, !holdsPart(of: hidden, text) else { return nil }
        let words = text.utf8.split { $0 <= 0x20 || $0 == 0x7f }.map { word in
            // RFC 6749 allows ASCII without these two, which would need escapes in logs and fields.
            let plain = word.filter {
                (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
            return plain.count > longestWord ? "..." : String(decoding: plain, as: UTF8.self)
        }.filter { !$0.isEmpty }
        var shown = words.joined(separator: " ")
        guard !shown.isEmpty, !holdsPart(of: hidden, shown) else { return nil }
        if shown.utf8.count > longest {
            shown = String(decoding: shown.utf8.prefix(longest - 3), as: UTF8.self) + "..."
        }
        return "\"\(shown)\""
    }

    private static func holdsPart(of hidden: [String], _ text: String) -> Bool {
        let text = Array(text.lowercased().utf8)
        var parts: Set<UInt64> = []
        forEachPart(of: text) { parts.insert($0) }
        return hidden.contains { secret in
            let secret = Array(secret.lowercased().utf8)
            if secret.count < secretPart { return !secret.isEmpty && isPart(secret, of: text) }
            var isFound = false
            forEachPart(of: secret) { if parts.contains($0) { isFound = true } }
            return isFound
        }
    }

    /// Calls `body` with every eight bytes in a row, as one number.
    private static func forEachPart(of text: [UInt8], _ body: (UInt64) -> Void) {
        var part: UInt64 = 0
        for (index, byte) in text.enumerated() {
            part = part << 8 | UInt64(byte)
            if index >= secretPart - 1 { body(part) }
        }
    }

    private static func isPart(_ short: [UInt8], of text: [UInt8]) -> Bool {
        text.indices.contains { text[$0...].starts(with: short) }
    }
}
