/// The states of the credentials; reading them changes nothing.
extension TokenManager {
    /// The state of every credential, in the order of the configuration.
    ///
    /// - Returns: One status for each credential.
    public func status() -> [CredentialStatus] {
        let now = clock.now
        return credentials.map { status(of: $0, now) }
    }

    private func status(of record: CredentialRecord, _ now: ContinuousClock.Instant) -> CredentialStatus {
        var status = CredentialStatus(
            name: record.name, state: record.problem == nil ? .empty : .failed, refreshAt: nil, expiresAt: nil,
            lastError: record.problem, succeeded: record.tally.succeeded, failed: record.tally.failed,
            isRequired: record.configuration.isRequired)
        status.certificateExpiresAt = record.certificateExpiresAt
        let refreshAt = store.view(of: record.holder, at: now)?.refreshAt
        status.nextAttempt = nextAttempt(of: record, entry: refreshAt, now)
        switch record.kind {
        case .broken: break
        case .local:
            guard let reading = record.value.reading(at: now) else { break }
            status.state = .fresh
            status.expiresAt = reading.usableUntil
        case .grant:
            if let variants = record.variants {
                let count = variants.holders.count { store.view(of: $0, at: now)?.usableUntil != nil }
                status.valueCount = count
                status.state = count == 0 ? .empty : .fresh
                if record.holder.secrets == nil, record.watch.error != nil { status.state = .failed }
            } else if let view = store.view(of: record.holder, at: now) {
                status.state = view.state
                status.refreshAt = view.refreshAt
                status.expiresAt = view.usableUntil
            }
        }
        return status
    }

    /// How long a credential's token or value is still sent, if it has an end.
    func servesFor(_ record: CredentialRecord, _ now: ContinuousClock.Instant) -> Duration? {
        let end: ContinuousClock.Instant?
        if case .local = record.kind {
            end = record.value.reading(at: now)?.usableUntil
        } else {
            end = store.view(of: record.holder, at: now)?.usableUntil
        }
        return end.map { $0 - now }
    }
}
