extension TokenManager {
    /// Reads a credential's secret or value if it is time to, and acts on what changed.
    func check(_ record: CredentialRecord, _ now: ContinuousClock.Instant) {
        guard let secret = record.secretToCheck(at: now) else { return }
        let text: String
        do throws(TokenError) {
            text = try secrets.read(secret)
        } catch {
            readingFailed(record, error)
            return
        }
        switch record.kind {
        case .grant(let grant, _): secretRead(record, grant, SecretText(text), now)
        case .local(_, let hasLife): valueRead(record, text, from: secret, hasLife: hasLife, now)
        case .broken: break
        }
    }

    /// The header of a credential whose value is read and not fetched.
    func localHeader(
        _ record: CredentialRecord, _ now: ContinuousClock.Instant
    ) throws(TokenError) -> AuthorizationHeader {
        timeReached(record, now)
        switch record.value.acquire() {
        case .serve(let reading): return record.header(reading, now: now)
        case .fail(let error): throw retried(record, error)
        case .none: preconditionFailure("a value was acquired before it was read")
        }
    }

    /// The time of a value that is read and not fetched.
    func timeReached(_ record: CredentialRecord, _ now: ContinuousClock.Instant) {
        guard case .local(let secret, _) = record.kind else { return }
        switch record.value.timeReached(now, ended: record.named(LocalValue.Reading.ended(secret))) {
        case .withdraw: withdraw(record)
        case .withdrawAndReport(let error):
            withdraw(record)
            report(record, .failure(error))
        case .none: break
        }
    }

    /// The error of a credential whose secret has never been readable.
    func secretMissing(_ record: CredentialRecord) -> TokenError {
        guard let error = record.secretError else { preconditionFailure("a secret is missing without an error") }
        return retried(record, error)
    }

    private func retried(_ record: CredentialRecord, _ error: TokenError) -> TokenError {
        var error = record.named(error)
        if record.isWatched { error.retryAfter = CredentialRecord.checkInterval }
        return error
    }

    private func readingFailed(_ record: CredentialRecord, _ error: TokenError) {
        let error = record.named(error)
        let isNew: Bool
        switch record.kind {
        case .grant:
            // The last readable secret stays in use: a file is often missing for the moment in which it is replaced.
            isNew = record.secretError != error
        case .local:
            switch record.value.readFailed(error) {
            case .report: isNew = true
            case .none: isNew = false
            }
        case .broken: isNew = false
        }
        record.secretError = error
        if isNew { report(record, .failure(error)) }
    }

    private func valueRead(
        _ record: CredentialRecord, _ text: String, from secret: Secret, hasLife: Bool, _ now: ContinuousClock.Instant
    ) {
        let reading: LocalValue.Reading
        do throws(TokenError) {
            reading = try LocalValue.Reading(
                text, from: secret, hasLife: hasLife, now: now, unixTime: clock.unixTime)
        } catch {
            readingFailed(record, error)
            return
        }
        switch record.value.read(reading) {
        case .publish(let reading):
            record.secretError = nil
            publish(record, record.header(reading, now: now))
            report(record, .success(FetchedToken(refreshAt: nil, usableUntil: reading.usableUntil)))
        case .recover: record.recover()
        case .none: break
        }
    }

    private func secretRead(
        _ record: CredentialRecord, _ grant: TokenGrant, _ secret: SecretText, _ now: ContinuousClock.Instant
    ) {
        record.recover()
        guard secret != record.secret else { return }
        let key = TokenKey(grant: grant, secret: secret)
        let oldToken = record.key.flatMap { slots.peek($0) }?.entry.token(at: now)
        if let old = record.key { leave(old, record) }
        record.key = key
        record.secret = secret
        holders[key, default: []].append(record)
        if let slot = slots.peek(key) {
            // Another credential has this key already; its token is this one's too.
            if let token = slot.entry.token(at: now) { publish(record, token) } else { withdraw(record) }
        } else if let oldToken {
            // The old secret's token is good until its end, so nobody waits for the new secret's.
            let slot = TokenSlot(key: key, secret: secret, entry: TokenEntry(adopting: oldToken, now: now))
            slots.insert(slot, for: key)
            timeReached(slot, now)
            settle(slot)
        } else {
            withdraw(record)
        }
        if isStarted { prefetch(record, now) }
    }

    /// A credential does not mean this key any more.
    private func leave(_ key: TokenKey, _ record: CredentialRecord) {
        holders[key]?.removeAll { $0 === record }
        if holders[key]?.isEmpty ?? false { holders[key] = nil }
        if let slot = slots.peek(key) { settle(slot) }
    }
}
