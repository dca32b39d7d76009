import TokenManager

/// The words of `token` and `doctor` for a token.
extension TokenClaims {
    /// The words for a token that is not a JWT.
    static func opaqueText(of token: String) -> String { "opaque, \(token.utf8.count) characters" }
}

extension TokenClaims.Claim {
    /// The time that the claim holds (RFC 3339, UTC); nil if it holds none.
    var timeText: String? { time.flatMap(TimestampClock.text(ofSecond:)) }
}

extension AuthorizationHeader {
    /// The value without its scheme.
    var token: String { value.split(separator: " ", maxSplits: 1).last.map(String.init) ?? "" }
}
