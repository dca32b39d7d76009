/// Values that a backend refused although they should be valid: revoked, or signed with a key that it no longer
/// knows.
extension TokenManager {
    /// Notes that a backend refused a value.
    ///
    /// If it is still the current one, the manager fetches another, and callers wait for it. It does so at most once
    /// in 10 s, and not before the back-off after a failure is over. If that fetch fails, the refused value is served
    /// again until its end, and the fetch is repeated as after any failure. A value that has been replaced meanwhile
    /// changes nothing.
    ///
    /// - Parameters:
    ///   - value: The whole field value that was refused.
    ///   - name: The credential's name.
    ///   - request: The values of the request that was refused.
    public func refused(_ value: String, for name: String, request: RequestParameters = RequestParameters()) async {
        guard !isStopped, let credential = record(name) else { return }
        check(credential, clock.now)
        guard (try? await awaitReading(of: credential)) != nil, !isStopped else { return }
        let now = clock.now
        guard let holder = credential.knownHolder(for: request), let entry = store.entry(of: holder) else { return }
        let configuration = credential.configuration
        perform(store.refused(entry, now) { configuration.header($0).value == value }, now)
    }

    /// Another header than the one that a backend refused: the current one, or the one that a new fetch brings.
    ///
    /// - Parameters:
    ///   - name: The credential's name.
    ///   - value: The whole field value that was refused.
    ///   - request: The values of the request that was refused.
    /// - Returns: The field to send; nil if no other value is available now.
    /// - Throws: `TokenError` with what failed and what to do.
    public func authorizationHeader(
        for name: String, insteadOf value: String, request: RequestParameters = RequestParameters()
    ) async throws(TokenError) -> AuthorizationHeader? {
        await refused(value, for: name, request: request)
        let header = try await authorizationHeader(for: name, request: request)
        return header.value == value ? nil : header
    }
}
