extension TokenManager {
    /// Acts on the result of a read.
    func placesRead(_ record: CredentialRecord, _ found: Result<PlaceTexts, TokenError>, _ now: ContinuousClock.Instant)
    {
        do throws(TokenError) {
            switch (record.kind, try found.get()) {
            case (.grant(let grant, _), .secrets(let texts)):
                if texts != record.watch.lastRead { try grant.check(texts) }
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
        case .serve(let reading): return record.configuration.header(reading, now: now)
        case .fail(let error): throw retried(record, error)
        case .none: preconditionFailure("a value was acquired before it was read")
        }
    }

    /// Reports the time to a value that is read and not fetched.
    func timeReached(_ record: CredentialRecord, _ now: ContinuousClock.Instant) {
        guard case .local(let secret, _) = record.kind else { return }
        switch record.value.timeReached(now, ended: LocalValue.Reading.ended(secret).named(record.name)) {
        case .withdraw: observer?.headerChanged(record.name, nil, nil)
        case .withdrawAndReport(let error):
            observer?.headerChanged(record.name, nil, nil)
            record.watch.becameUnusable(now)
            report(record, .failure(FailedFetch(retried(record, error))))
        case .none: break
        }
    }

    /// The error of a credential whose secrets have never been readable.
    func secretMissing(_ record: CredentialRecord) -> TokenError {
        guard let error = record.watch.error else { preconditionFailure("a secret is missing without an error") }
        return retried(record, error)
    }

    private func retried(_ record: CredentialRecord, _ error: TokenError) -> TokenError {
        var error = error.named(record.name)
        if record.kind.isWatched { error.retryAfter = SecretWatch.interval }
        return error
    }

    /// The secrets or the value are unreadable, or the content that was read is unusable.
    func readingFailed(_ record: CredentialRecord, _ error: TokenError) {
        let error = error.named(record.name)
        // The last readable secret stays in use: a file is often missing at the moment when it is replaced.
        var isNew = record.watch.failed(error, clock.now)
        if case .local = record.kind {
            switch record.value.readFailed(error) {
            case .report: isNew = true
            case .none: isNew = false
            }
        }
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
        switch record.value.read(reading.numbered(record.generations.next())) {
        case .publish(let reading):
            observer?.headerChanged(record.name, nil, record.configuration.header(reading, now: now))
            recover(record, now)
            report(record, .success(FetchedToken(refreshAt: nil, usableUntil: reading.usableUntil)))
        case .recover: recover(record, now)
        case .none: break
        }
    }

    /// A credential's files are usable again: reports it to the observer, if it knows that they were not.
    private func recover(_ record: CredentialRecord, _ now: ContinuousClock.Instant) {
        if let duration = record.recover(now) { observer?.secretRecovered(record.name, after: duration) }
    }

    private func secretsRead(
        _ record: CredentialRecord, _ grant: TokenGrant, _ secrets: SecretTexts, _ now: ContinuousClock.Instant
    ) {
        let wasInOrder = record.watch.lastRead != nil && record.problem == nil
        recover(record, now)
        let isSpending = store.entry(of: record.holder)?.isSpendingRefreshToken ?? false
        let inUse = record.holder.secrets
        switch record.watch.secretsRead(secrets, inUse: inUse, isSpending: isSpending) {
        case .nothingNew: retryWriting(record, now)
        case .tooEarly: break
        case .use(let secrets, let isRefreshTokenNew):
            if isRefreshTokenNew {
                if wasInOrder, let path = record.rotation.replacedByAnother() {
                    observer?.refreshTokenReplaced(record.name, in: path)
                }
                record.rotation.fileChanged()
            }
            use(secrets, record, grant, now, keepsToken: wasInOrder && isRefreshTokenNew)
        }
    }

    private func use(
        _ secrets: SecretTexts, _ record: CredentialRecord, _ grant: TokenGrant, _ now: ContinuousClock.Instant,
        keepsToken: Bool
    ) {
        if let variants = record.variants {
            perform(store.secretsRead(secrets, of: record.holder, variants, now, keepsToken: keepsToken), now)
        } else {
            perform(store.secretsRead(secrets, of: record.holder, grant, now, keepsToken: keepsToken), now)
            if isStarted { perform(store.prefetch(record.holder, now), now) }
        }
    }
}
