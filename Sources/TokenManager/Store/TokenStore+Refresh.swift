/// How a token is refreshed: a fetch begins at a certain time, and its result decides what is served afterwards.
extension TokenStore {
    /// The instant of an entry's last `wake` has come.
    mutating func timerFired(_ entry: StoredEntry, _ now: ContinuousClock.Instant) -> [Action] {
        var actions: [Action] = []
        let hasEnded = entry.machine.endsAt.map { $0 <= now } ?? true
        if holders.isOfVariants(entry.key), !entry.machine.isFetching, hasEnded {
            letGo(entry, &actions)
        } else {
            timeReached(entry, now, &actions)
            settle(entry, &actions)
        }
        return actions
    }

    /// Time has passed.
    mutating func timeReached(_ entry: StoredEntry, _ now: ContinuousClock.Instant, _ actions: inout [Action]) {
        switch entry.machine.timeReached(now, mayFetch: clientRefusal(of: entry, now) == nil) {
        case .fetch: beginFetch(entry, &actions)
        case .withdraw: withdraw(entry, &actions)
        case .withdrawAndFetch:
            withdraw(entry, &actions)
            beginFetch(entry, &actions)
        case .none: break
        }
    }

    mutating func beginFetch(_ entry: StoredEntry, _ actions: inout [Action]) {
        actions.append(.fetch(entry))
        fetches.began(entry.id, isOfVariants: holders.isOfVariants(entry.key))
        for variant in variants(of: entry) { variant.siblings.fetchBegan(entry.id) }
    }

    /// The request with the entry's refresh token is about to be sent or, if `isSent` is false, is prepared anew.
    func refreshTokenSent(_ entry: StoredEntry, _ isSent: Bool) {
        entry.isSpendingRefreshToken = isSent && entry.secrets[.refreshToken] != nil
    }

    /// The fetch brought a token.
    mutating func fetchSucceeded(
        _ entry: StoredEntry, _ token: AccessToken, _ now: ContinuousClock.Instant
    ) -> [Action] {
        var actions: [Action] = []
        fetchEnded(entry, now, &actions)
        let token = token.numbered(generations.next())
        switch entry.machine.fetchSucceeded(entry.end.map { token.ending(by: $0) } ?? token) {
        case .publish(let token, let waiters):
            publish(entry, token, &actions)
            for holder in holders[entry.key] { actions.append(.reportFetched(holder, token)) }
            actions.append(.answer(waiters, .token(token)))
        }
        for variant in variants(of: entry) { variant.siblings.fetchSucceeded(variant.key) }
        settle(entry, &actions)
        return actions
    }

    /// The fetch brought no token; `random` is in 0..<1 and spreads the back-off.
    mutating func fetchFailed(
        _ entry: StoredEntry, _ failure: FetchFailure, _ now: ContinuousClock.Instant, random: Double
    ) -> [Action] {
        var actions: [Action] = []
        fetchEnded(entry, now, &actions)
        switch entry.machine.fetchFailed(failure, now: now, random: random) {
        case .fail(let shown, let waiters): actions.append(.answer(waiters, .failed(shown)))
        case .fallBack(let token, let waiters):
            publish(entry, token, &actions)
            // If the credential has another key by now, its callers ask again for that key.
            let isWanted = holders.isWanted(entry.key)
            actions.append(.answer(waiters, isWanted ? .token(token) : .failed(failure.error)))
        case .none: break
        }
        for variant in variants(of: entry) {
            variant.siblings.fetchFailed(entry.id, for: variant.request, failure, now, random: random)
        }
        reportFailed(entry, failure.error, now, &actions)
        if clientRefusal(of: entry, now) != nil, entry.machine.token == nil { letGo(entry, &actions) }
        settle(entry, &actions)
        return actions
    }

    private mutating func fetchEnded(_ entry: StoredEntry, _ now: ContinuousClock.Instant, _ actions: inout [Action]) {
        entry.isSpendingRefreshToken = false
        fetches.ended(entry.id)
        timeReached(entry, now, &actions)
    }

    private func reportFailed(
        _ entry: StoredEntry, _ error: TokenError, _ now: ContinuousClock.Instant, _ actions: inout [Action]
    ) {
        let view = entry.machine.view(at: now)
        for holder in holders[entry.key] {
            if let variant = holder.variant, variant.siblings.areToBlame(variant.request, for: error) {
                // Otherwise a client could fill the log with such reports, or hide a problem of the credential.
                actions.append(.reportRefusedRequest(holder))
            } else {
                let failed = FailedFetch(error, servesFor: view.usableUntil.map { $0 - now })
                actions.append(.reportFailed(holder, failed, retryAt: view.refreshAt))
            }
        }
    }
}
