extension TokenManager {
    /// Acts on what was read.
    func placesRead(_ record: CredentialRecord, _ found: Result<PlaceTexts, TokenError>, _ now: ContinuousClock.Instant)
    {
        do throws(TokenError) {
            switch (record.kind, try found.get()) {
            case (.grant(let grant, _), .secrets(let texts)):
                if texts != record.lastRead { try grant.check(texts) }
                secretsRead(record, grant, texts, now)
            case (.local(let place, let hasLife), .value(let text)):
                valueRead(record, text.value, from: place, hasLife: hasLife, now)
            case (.grant, .value), (.local, .secrets), (.broken, _):
                preconditionFailure("a credential was read as one of another kind")
            }
        } catch {
            readingFailed(record, error)
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
            record.secretFailed(now)
            report(record, .failure(FailedFetch(retried(record, error))))
        case .none: break
        }
    }

    /// The error of a credential whose secrets have never been readable.
    func secretMissing(_ record: CredentialRecord) -> TokenError {
        guard let error = record.secretError else { preconditionFailure("a secret is missing without an error") }
        return retried(record, error)
    }

    private func retried(_ record: CredentialRecord, _ error: TokenError) -> TokenError {
        var error = record.named(error)
        if record.isWatched { error.retryAfter = CredentialRecord.checkInterval }
        return error
    }

    /// The secrets or the value could not be read, or what was read cannot be used.
    func readingFailed(_ record: CredentialRecord, _ error: TokenError) {
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
        record.secretFailed(clock.now)
        guard isNew else { return }
        report(record, .failure(FailedFetch(retried(record, error), servesFor: servesFor(record, clock.now))))
    }

    private func valueRead(
        _ record: CredentialRecord, _ text: String, from secret: Secret, hasLife: Bool, _ now: ContinuousClock.Instant
    ) {
        let reading: LocalValue.Reading
        do throws(TokenError) {
            reading = try LocalValue.Reading(
                text, from: secret, scheme: record.configuration.scheme, hasLife: hasLife, now: now,
                unixTime: clock.unixTime)
        } catch {
            readingFailed(record, error)
            return
        }
        switch record.value.read(reading) {
        case .publish(let reading):
            publish(record, record.header(reading, now: now))
            recover(record, now)
            report(record, .success(FetchedToken(refreshAt: nil, usableUntil: reading.usableUntil)))
        case .recover: recover(record, now)
        case .none: break
        }
    }

    /// A credential's files can be read and used: the observer hears of it, if it heard that they could not.
    private func recover(_ record: CredentialRecord, _ now: ContinuousClock.Instant) {
        if let duration = record.recover(now) { observer?.secretRecovered(record.name, after: duration) }
    }

    private func secretsRead(
        _ record: CredentialRecord, _ grant: TokenGrant, _ secrets: SecretTexts, _ now: ContinuousClock.Instant
    ) {
        let wasInOrder = record.lastRead != nil && record.problem == nil
        recover(record, now)
        guard secrets != record.lastRead else { return retryWriting(record, now) }
        var secrets = secrets
        let isRefreshTokenNew = secrets[.refreshToken] != record.lastRead?[.refreshToken]
        // The refresh token that is on its way can be used once: what else has changed waits for its successor.
        if !isRefreshTokenNew, isUsingRefreshToken(record) { return }
        record.lastRead = secrets
        if isRefreshTokenNew {
            if wasInOrder { noteReplacement(record) }
            record.writing.fileChanged()
        } else {
            // What is in its file may be spent, while its successor is on its way there.
            secrets[.refreshToken] = record.secrets?[.refreshToken]
        }
        let keepsToken = wasInOrder && isRefreshTokenNew
        guard record.parameters.isEmpty else {
            return variantSecretsRead(record, secrets, now, keepsToken: keepsToken)
        }
        take(secrets, record, grant, now, keepsToken: keepsToken)
        if isStarted { prefetch(record, now) }
    }

    private func isUsingRefreshToken(_ record: CredentialRecord) -> Bool {
        guard let key = record.key, let slot = slots.peek(key) else { return false }
        return slot.spending != nil
    }

    /// Secrets are in use from now on; they may be the ones that are.
    ///
    /// Where nothing but the refresh token is another one, a good token stays until it is due if `keepsToken` says so. Two
    /// processes that share a file would else answer each other's new refresh token with a fetch, without end.
    func take(
        _ secrets: SecretTexts, _ record: CredentialRecord, _ grant: TokenGrant, _ now: ContinuousClock.Instant,
        keepsToken: Bool = false
    ) {
        guard secrets != record.secrets else { return }
        let key = TokenKey(grant: grant, secrets: secrets)
        let oldSlot = record.key.flatMap { slots.peek($0) }
        let oldToken = oldSlot?.entry.token(at: now)
        let fallback = oldSlot?.entry.fallback(at: now)
        let isOther = record.secrets?.differOnlyInRefreshToken(from: secrets) ?? false
        let kept = keepsToken && isOther ? oldSlot?.entry.settledToken(at: now) : nil
        if let old = record.key { leave(old, record) }
        record.key = key
        record.secrets = secrets
        holders[key, default: []].append(record)
        if let slot = slots.peek(key) {
            // Another credential has this key already; its token is this one's too.
            abandoned.remove(ObjectIdentifier(slot))
            if let other = holders[key]?.first, other !== record { record.join(other) }
            if let token = slot.entry.token(at: now) { publish(record, token) } else { withdraw(record) }
        } else if let kept {
            let slot = TokenSlot(
                key: key, secrets: secrets, entry: TokenEntry(keeping: kept), end: record.variant?.end)
            slots.insert(slot, for: key)
            settle(slot)
        } else if let oldToken {
            // The old secret's token is good until its end, so nobody waits for the new secret's.
            let slot = TokenSlot(
                key: key, secrets: secrets, entry: TokenEntry(adopting: oldToken, now: now), end: record.variant?.end)
            slots.insert(slot, for: key)
            if record.variant == nil { timeReached(slot, now) } else { publish(record, oldToken.refreshed(at: now)) }
            settle(slot)
        } else if let fallback {
            // A refused token is better than none for the new secret as well.
            let slot = TokenSlot(
                key: key, secrets: secrets, entry: TokenEntry(fallingBackOn: fallback), end: record.variant?.end)
            slots.insert(slot, for: key)
            beginFetch(slot)
            settle(slot)
        } else {
            withdraw(record)
        }
    }

    /// A credential does not mean this key any more.
    func leave(_ key: TokenKey, _ record: CredentialRecord) {
        holders[key]?.removeAll { $0 === record }
        if holders[key]?.isEmpty ?? false { holders[key] = nil }
        if let slot = slots.peek(key) { settle(slot) }
    }
}
