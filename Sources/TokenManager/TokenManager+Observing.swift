extension TokenManager {
    /// A key has another token: everybody who means it hears of it.
    func publish(_ key: TokenKey, _ token: AccessToken) {
        for record in holders[key] ?? [] { publish(record, token) }
    }

    /// One credential has another token.
    func publish(_ record: CredentialRecord, _ token: AccessToken) {
        publish(record, record.header(token, askAgainAt: record.variant == nil ? nil : token.refreshAt))
    }

    /// One credential has another value.
    func publish(_ record: CredentialRecord, _ header: AuthorizationHeader) {
        record.isPublished = true
        observer?.headerChanged(record.name, record.variant?.request, header)
    }

    /// A key's token ended, or is not looked after any more.
    func withdraw(_ key: TokenKey) {
        for record in holders[key] ?? [] { withdraw(record) }
    }

    /// A credential has no value any more.
    func withdraw(_ record: CredentialRecord) {
        guard record.isPublished else { return }
        record.isPublished = false
        observer?.headerChanged(record.name, record.variant?.request, nil)
    }

    /// A key's fetch ended.
    func report(_ key: TokenKey, _ result: Result<FetchedToken, TokenError>) {
        for record in holders[key] ?? [] { report(record, result) }
    }

    /// A credential's fetch or reading ended.
    func report(_ record: CredentialRecord, _ result: Result<FetchedToken, TokenError>) {
        let result = result.mapError { record.named($0) }
        if case .failure(let error) = result, let variant = record.variant, variant.isToBlame(for: error) {
            // Whoever sends requests could otherwise fill a log with them, or hide what is wrong with the credential.
            return variant.credential.countRefusedRequest()
        }
        record.count(result)
        observer?.fetchEnded(record.name, result)
    }

    private func hasToken(_ record: CredentialRecord, _ now: ContinuousClock.Instant) -> Bool {
        guard let key = record.key, let slot = slots.peek(key) else { return false }
        return slot.entry.view(at: now).usableUntil != nil
    }

    /// How one credential is doing.
    func status(of record: CredentialRecord, _ now: ContinuousClock.Instant) -> CredentialStatus {
        var status = CredentialStatus(
            name: record.name, state: record.problem == nil ? .empty : .failed, refreshAt: nil, expiresAt: nil,
            lastError: record.problem, succeeded: record.succeeded, failed: record.failed)
        switch record.kind {
        case .broken: break
        case .local:
            guard let reading = record.value.reading(at: now) else { break }
            status.state = .fresh
            status.expiresAt = reading.usableUntil
        case .grant where !record.parameters.isEmpty:
            let count = record.variants.values.count { hasToken($0, now) }
            status.valueCount = count
            status.state = count == 0 ? .empty : .fresh
            if record.secrets == nil, record.secretError != nil { status.state = .failed }
        case .grant:
            guard let key = record.key, let slot = slots.peek(key) else { break }
            let view = slot.entry.view(at: now)
            status.state = view.state
            status.refreshAt = view.refreshAt
            status.expiresAt = view.usableUntil
        }
        return status
    }
}
