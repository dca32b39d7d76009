extension LocalValue.Reading {
    /// Turns what was read into a value that can be sent.
    ///
    /// - Parameters:
    ///   - text: What was read.
    ///   - place: Where it was read, for the message.
    ///   - hasLife: Whether a JWT's `exp` ends it.
    ///   - now: When it was read.
    ///   - unixTime: The same moment in seconds since 1970.
    /// - Throws: `TokenError` if it cannot stand in a field or has ended already; it quotes nothing of the value.
    package init(
        _ text: String, from place: Secret, hasLife: Bool, now: ContinuousClock.Instant, unixTime: Double
    ) throws(TokenError) {
        let value = FieldText.trimmed(text)
        guard FieldText.isFieldValue(value) else {
            let reason = value.isEmpty ? "is empty" : "holds a line break or another control character"
            throw TokenError(
                kind: .unusableValue, message: "\(place.place) \(reason): write the value alone, on one line")
        }
        // Where the file holds the whole field value, the token is its last word.
        let token = value.split(separator: " ").last.map(String.init) ?? value
        guard hasLife, let claims = JSONWebToken(token), let expiresAt = claims.expiresAt else {
            self.init(text: value, usableUntil: nil)
            return
        }
        let left = expiresAt - unixTime
        // More than ten years: no end that anybody will see, and no number that a Duration cannot hold.
        guard left < 315_360_000 else {
            self.init(text: value, usableUntil: nil)
            return
        }
        let margin = AccessToken.margin(of: .seconds(min(claims.life ?? left, 315_360_000)))
        guard left > 0, .seconds(left) > margin else {
            throw Self.ended(place)
        }
        self.init(text: value, usableUntil: now + .seconds(left) - margin)
    }

    /// The error for a value that is past its end.
    package static func ended(_ place: Secret) -> TokenError {
        let message = "\(place.place) is a token that has expired: put a new one in its place"
        return TokenError(kind: .tokenExpired, message: message)
    }
}
