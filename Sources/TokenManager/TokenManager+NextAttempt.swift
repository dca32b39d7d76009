/// When the manager tries next to put right what is wrong, for the log and the status alike.
extension TokenManager {
    /// When a credential that has a problem is tried next; nil without a problem, and where nothing is planned.
    func nextAttempt(of record: CredentialRecord, _ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        // What fails for one value is known of its credential.
        let owner = record.variant?.credential ?? record
        guard owner.problem != nil else { return nil }
        if owner.hasSecretProblem { return owner.isWatched ? now + CredentialRecord.checkInterval : nil }
        guard owner.lastError != nil else { return owner.writing.retryAt }
        let own = record.key.flatMap { slots.peek($0) }?.entry.view(at: now).refreshAt
        guard let shared = owner.clientOutage.retryAt else { return own }
        return max(own ?? shared, shared)
    }
}
