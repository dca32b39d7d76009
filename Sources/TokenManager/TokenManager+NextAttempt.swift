/// When the manager tries next to put right what is wrong, for the log and the status alike.
extension TokenManager {
    /// When a credential that has a problem is tried next; nil without a problem, and where nothing is planned.
    ///
    /// - Parameters:
    ///   - record: The credential.
    ///   - entry: When the entry of its token, or of the value that failed, asks again.
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
