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

    /// A key's fetch brought a token.
    func reportFetched(_ key: TokenKey, _ token: AccessToken, _ now: ContinuousClock.Instant) {
        for record in holders[key] ?? [] {
            let recovery = record.fetchSucceeded(now)
            report(
                record,
                .success(
                    FetchedToken(refreshAt: token.refreshAt, usableUntil: token.usableUntil, recovery: recovery)))
        }
    }

    /// A key's fetch brought none; its entry knows that already.
    func reportFailed(_ slot: TokenSlot, _ error: TokenError, _ now: ContinuousClock.Instant) {
        let view = slot.entry.view(at: now)
        for record in holders[slot.key] ?? [] {
            if let variant = record.variant, variant.isToBlame(for: error) {
                // Whoever sends requests could otherwise fill a log with them, or hide what is wrong with the credential.
                variant.credential.countRefusedRequest()
                continue
            }
            record.fetchFailed(now)
            report(record, .failure(FailedFetch(error, servesFor: view.usableUntil.map { $0 - now })))
        }
    }

    /// A credential's fetch or reading ended.
    func report(_ record: CredentialRecord, _ result: Result<FetchedToken, FailedFetch>) {
        record.count(result)
        let now = clock.now
        let result = result.mapError { failure in
            var error = record.named(failure.error)
            error.retryAfter = nextAttempt(of: record, now).map { max($0 - now, .zero) }
            return FailedFetch(error, servesFor: failure.servesFor)
        }
        observer?.fetchEnded(record.name, result)
    }

    /// For how long a credential's token or value is still sent, where it has an end.
    func servesFor(_ record: CredentialRecord, _ now: ContinuousClock.Instant) -> Duration? {
        let end: ContinuousClock.Instant?
        if case .local = record.kind {
            end = record.value.reading(at: now)?.usableUntil
        } else {
            end = record.key.flatMap { slots.peek($0) }?.entry.view(at: now).usableUntil
        }
        return end.map { $0 - now }
    }

    private func hasToken(_ record: CredentialRecord, _ now: ContinuousClock.Instant) -> Bool {
        guard let key = record.key, let slot = slots.peek(key) else { return false }
        return slot.entry.view(at: now).usableUntil != nil
    }

    /// How one credential is doing.
    func status(of record: CredentialRecord, _ now: ContinuousClock.Instant) -> CredentialStatus {
        var status = CredentialStatus(
            name: record.name, state: record.problem == nil ? .empty : .failed, refreshAt: nil, expiresAt: nil,
            lastError: record.problem, succeeded: record.succeeded, failed: record.failed,
            isRequired: record.configuration.isRequired)
        status.certificateExpiresAt = record.certificateExpiresAt
        status.nextAttempt = nextAttempt(of: record, now)
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
