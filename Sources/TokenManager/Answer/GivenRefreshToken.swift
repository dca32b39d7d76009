/// The refresh token in a token server's response (RFC 6749 section 5.1); no description or reflection shows it.
package enum GivenRefreshToken: Sendable, Equatable {
    /// A token that can be sent, and written to a file of one line.
    case usable(SecretText)
    /// A token that cannot be kept, with the reason as the rest of a sentence.
    case unusable(String)

    /// Accepts characters outside ASCII too: RFC 6749 has none (appendix A.17), but a form and a file can carry them.
    ///
    /// - Returns: nil for an empty text, which means no refresh token.
    package init?(_ text: String) {
        guard !text.isEmpty else { return nil }
        if text.utf8.count > TokenAnswer.longestToken {
            self = .unusable("has \(text.utf8.count) bytes, more than \(TokenAnswer.longestToken)")
        } else if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            self = .unusable("contains a control character")
        } else {
            self = .usable(SecretText(text))
        }
    }
}
