/// Performs the store's actions, and notifies the observer.
extension TokenManager {
    func perform(_ actions: [TokenStore.Action], _ now: ContinuousClock.Instant) {
        for action in actions { perform(action, now) }
    }

    private func perform(_ action: TokenStore.Action, _ now: ContinuousClock.Instant) {
        switch action {
        case .fetch(let entry): fetches[entry.id] = startFetch(for: entry)
        case .answer(let waiting, let answer): waiters.answer(waiting, answer)
        case .wake(let entry, at: nil): timers.clear(entry)
        case .wake(let entry, let instant):
            if isStarted, !isStopped { timers.set(entry, to: instant) { startTimer(for: entry, $0) } }
        case .publish(let holder, let token):
            let askAgainAt = holder.variant == nil ? nil : token.refreshAt
            let header = credential(of: holder).configuration.header(token, askAgainAt: askAgainAt)
            observer?.headerChanged(holder.name, holder.variant?.request, header)
        case .withdraw(let holder): observer?.headerChanged(holder.name, holder.variant?.request, nil)
        case .reportFetched(let holder, let token):
            let record = credential(of: holder)
            let recovery = record.tally.fetchSucceeded(now)
            let fetched = FetchedToken(refreshAt: token.refreshAt, usableUntil: token.usableUntil, recovery: recovery)
            report(record, .success(fetched))
        case .reportFailed(let holder, let failure, let retryAt):
            let record = credential(of: holder)
            record.tally.fetchFailed(now)
            report(record, .failure(failure), retryAt: retryAt)
        case .reportRefusedRequest(let holder): credential(of: holder).tally.countRefusedRequest()
        case .share(let holder, let other):
            // The errors of variants belong to their credentials.
            guard holder.variant == nil else { break }
            let tally = other.variant == nil ? credential(of: other).tally : FetchTally(nil)
            credential(of: holder).tally.join(tally, as: holder.name)
        }
    }

    /// The configured credential of a holder, which may be one of its variants.
    func credential(of holder: TokenHolder) -> CredentialRecord {
        guard let record = record(holder.name) else { preconditionFailure("a holder of no credential") }
        return record
    }

    /// The credentials that need an entry's token, one for each holder.
    func credentials(of entry: StoredEntry) -> [CredentialRecord] {
        store.holders[entry.key].map { credential(of: $0) }
    }

    /// A fetch ended.
    func fetchEnded(_ entry: StoredEntry, _ result: Result<TokenAnswer.Grant, FetchFailure>) {
        fetches[entry.id] = nil
        let now = clock.now
        switch result {
        case .success(let granted): perform(store.fetchSucceeded(entry, granted.token, now), now)
        case .failure(let failure): perform(store.fetchFailed(entry, failure, now, random: randomFraction()), now)
        }
    }

    /// The instant of an entry's timer has come.
    func timerFired(_ entry: StoredEntry) {
        timers.clear(entry)
        let now = clock.now
        perform(store.timerFired(entry, now), now)
    }

    /// A credential's fetch or read ended.
    ///
    /// - Parameters:
    ///   - record: The credential.
    ///   - result: The result.
    ///   - retryAt: When the entry of the fetch asks again.
    func report(
        _ record: CredentialRecord, _ result: Result<FetchedToken, FailedFetch>,
        retryAt: ContinuousClock.Instant? = nil
    ) {
        record.tally.count(result)
        let now = clock.now
        let result = result.mapError { failure in
            var error = failure.error.named(record.name)
            error.retryAfter = nextAttempt(of: record, entry: retryAt, now).map { max($0 - now, .zero) }
            return FailedFetch(error, servesFor: failure.servesFor)
        }
        observer?.fetchEnded(record.name, result)
    }
}
