extension LocalValue.Reading {
    /// Makes a value that can be sent from the text of a read.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - place: Where it was read, for the message.
    ///   - scheme: The word before it in the field; nil for none.
    ///   - hasLife: Whether a JWT expires at its `exp`.
    ///   - now: When it was read.
    ///   - unixTime: The same moment in seconds since 1970.
    /// - Throws: `TokenError` if the text cannot be sent in a field or has expired; it quotes no part of the value.
    package init(
        _ text: String, from place: Secret, scheme: String?, hasLife: Bool, now: ContinuousClock.Instant,
        unixTime: Double
    ) throws(TokenError) {
        let value = FieldText.trimmed(text)
        if let problem = Self.problem(value, scheme: scheme) {
            throw TokenError(kind: .unusableValue, message: "\(place.place) \(problem)")
        }
        // If the file holds the whole field value, the token is its last word.
        let token = value.split(separator: " ").last.map(String.init) ?? value
        guard hasLife, let claims = JSONWebToken(token), let expiresAt = claims.expiresAt else {
            self.init(text: value, usableUntil: nil, readAt: now)
            return
        }
        let left = expiresAt - unixTime
        // More than ten years: an end that no one will see, and a number that may not fit into a Duration.
        guard left < 315_360_000 else {
            self.init(text: value, usableUntil: nil, readAt: now)
            return
        }
        // Checked before the conversion, because a Duration cannot hold an end too far in the past either.
        guard left > 0 else { throw Self.ended(place) }
        let margin = AccessToken.margin(of: .seconds(min(claims.life ?? left, 315_360_000)))
        guard .seconds(left) > margin else { throw Self.ended(place) }
        self.init(text: value, usableUntil: now + .seconds(left) - margin, readAt: now)
    }

    /// Why a text cannot be sent.
    ///
    /// - Parameters:
    ///   - text: The value, with or without spaces around it.
    ///   - scheme: The word before it in the field; nil for none.
    /// - Returns: The rest of a sentence, which quotes no part of the text; nil if it can be sent.
    package static func problem(_ text: String, scheme: String?) -> String? {
        let value = FieldText.trimmed(text)
        guard FieldText.isFieldValue(value) else {
            let reason = value.isEmpty ? "is empty" : "contains a line break or another control character"
            return "\(reason): write the value alone, on one line"
        }
        // RFC 7617 section 2 has the same characters: Base64.
        guard !FieldText.isBearerToken(value) else { return nil }
        switch scheme?.lowercased() {
        case "bearer":
            return "contains characters that a bearer token cannot have (RFC 6750): write the token alone, or "
                + "set scheme to none if it is a whole field value"
        case "basic":
            return "contains characters that HTTP Basic cannot have (RFC 7617): write the Base64 of user:password, or "
                + "set scheme to none if it is a whole field value"
        default: return nil
        }
    }

    /// The error for a value that has expired.
    package static func ended(_ place: Secret) -> TokenError {
        let message = "\(place.place) holds a token that has expired: replace it"
        return TokenError(kind: .tokenExpired, message: message)
    }
}
