extension CredentialConfiguration {
    /// A hundred years, for a value without an end where an instant is needed.
    private static let endless: Duration = .seconds(100 * 365 * 86_400)

    /// The field that carries a token.
    func header(_ token: AccessToken, askAgainAt: ContinuousClock.Instant? = nil) -> AuthorizationHeader {
        guard let key = token.proofKey else {
            return header(
                token.value, token.generation, usableUntil: token.usableUntil, askAgainAt: askAgainAt,
                obtainedAt: token.receivedAt)
        }
        return AuthorizationHeader(
            name: header, value: "DPoP \(token.value)", usableUntil: token.usableUntil, askAgainAt: askAgainAt,
            obtainedAt: token.receivedAt, binding: TokenBinding(key, token: token.value), generation: token.generation)
    }

    /// The field that carries a value that was read.
    func header(_ reading: LocalValue.Reading, now: ContinuousClock.Instant) -> AuthorizationHeader {
        header(
            reading.text, reading.generation, usableUntil: reading.usableUntil ?? now + Self.endless,
            obtainedAt: reading.readAt)
    }

    private func header(
        _ value: String, _ generation: TokenGeneration, usableUntil: ContinuousClock.Instant,
        askAgainAt: ContinuousClock.Instant? = nil, obtainedAt: ContinuousClock.Instant?
    ) -> AuthorizationHeader {
        AuthorizationHeader(
            name: header, value: scheme.map { "\($0) \(value)" } ?? value, usableUntil: usableUntil,
            askAgainAt: askAgainAt, obtainedAt: obtainedAt, generation: generation)
    }
}
