/// When the manager tries next to resolve a problem, for the log and the status alike.
extension TokenManager {
    /// The next attempt for a credential with a problem; nil without a problem, and if none is planned.
    ///
    /// - Parameters:
    ///   - record: The credential.
    ///   - entry: When the entry of its token, or of the variant that failed, asks again.
    ///   - now: The time.
    /// - Returns: The instant.
    func nextAttempt(
        of record: CredentialRecord, entry: ContinuousClock.Instant?, _ now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
        guard record.problem != nil else { return nil }
        if record.hasSecretProblem { return record.kind.isWatched ? now + SecretWatch.interval : nil }
        guard record.tally.lastError != nil else { return record.rotation.retryAt }
        guard let shared = record.variants?.retryAt else { return entry }
        return max(entry ?? shared, shared)
    }
}
