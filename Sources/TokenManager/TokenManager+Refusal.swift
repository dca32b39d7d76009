/// Tokens and values that a backend refused although they should be valid: revoked, or signed with a key that it no
/// longer knows.
extension TokenManager {
    /// Notes that a backend refused a token.
    ///
    /// If it is still the current one, the manager fetches another, and callers wait for it. It does so at most once
    /// in 10 s, and not before the back-off after a failure is over. If that fetch fails, the refused token is served
    /// again until its end, and the fetch is repeated as after any failure. The refusal of a token that has been
    /// replaced meanwhile changes nothing, even if the token server issued the same text again.
    ///
    /// - Parameters:
    ///   - generation: The generation of the refused header.
    ///   - name: The credential's name.
    ///   - request: The values of the request that was refused.
    public func refused(
        _ generation: TokenGeneration, for name: String, request: RequestParameters = RequestParameters()
    ) async {
        await refused(generation, for: name, version: nil, request: request)
    }

    /// Notes a refusal for a credential of one version, as `refused(_:for:request:)`; nil for any version.
    package func refused(
        _ generation: TokenGeneration, for name: String, version: Int?, request: RequestParameters
    ) async {
        guard !isStopped, let credential = try? await record(name, version: version) else { return }
        check(credential, clock.now)
        guard (try? await awaitReading(of: credential)) != nil, !isStopped, !credential.isRetired else { return }
        let now = clock.now
        guard let holder = credential.knownHolder(for: request), let entry = store.entry(of: holder) else { return }
        perform(store.refused(generation, of: entry, now), now)
    }

    /// The header of another token than the one that a backend refused: the current token, or the one from a new fetch.
    ///
    /// - Parameters:
    ///   - name: The credential's name.
    ///   - generation: The generation of the refused header.
    ///   - request: The values of the request that was refused.
    /// - Returns: The field to send; nil if no other token is available now.
    /// - Throws: `TokenError` with what failed and what to do.
    public func authorizationHeader(
        for name: String, insteadOf generation: TokenGeneration, request: RequestParameters = RequestParameters()
    ) async throws(TokenError) -> AuthorizationHeader? {
        try await authorizationHeader(for: name, version: nil, insteadOf: generation, request: request)
    }

    /// Another token of a credential of one version, as `authorizationHeader(for:insteadOf:request:)`; nil for any version.
    package func authorizationHeader(
        for name: String, version: Int?, insteadOf generation: TokenGeneration, request: RequestParameters
    ) async throws(TokenError) -> AuthorizationHeader? {
        await refused(generation, for: name, version: version, request: request)
        let header = try await authorizationHeader(for: name, version: version, request: request)
        return header.generation == generation ? nil : header
    }
}
