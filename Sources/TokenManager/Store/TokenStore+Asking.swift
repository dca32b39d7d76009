/// Somebody asks for a token, or wants one before anybody asks.
extension TokenStore {
    /// What becomes of a caller.
    enum Acquired {
        case token(AccessToken)
        case failed(TokenError)
        /// It is parked under its number until an `answer` names it.
        case parked
    }

    /// A caller asks.
    mutating func acquire(
        _ entry: StoredEntry, _ id: WaiterID, _ now: ContinuousClock.Instant
    ) -> (caller: Acquired, actions: [Action]) {
        var actions: [Action] = []
        timeReached(entry, now, &actions)
        let refusal = clientRefusal(of: entry, now)
        let caller: Acquired
        switch entry.machine.acquire(id, now: now, mayFetch: refusal == nil && mayFetch(entry)) {
        case .serve(let token): caller = .token(token)
        case .fail(let error): caller = .failed(error)
        case .park: caller = .parked
        case .parkAndFetch:
            beginFetch(entry, &actions)
            caller = .parked
        case .turnAway:
            caller = .failed(refusal ?? tooManyFetches)
            letGo(entry, &actions)
        }
        settle(entry, &actions)
        return (caller, actions)
    }

    /// A parked caller was cancelled; the fetch goes on for the others.
    mutating func waiterLeft(_ entry: StoredEntry, _ id: WaiterID) -> TokenEntry.WaiterLeftAction {
        entry.machine.waiterLeft(id)
    }

    /// A holder's token should be there before anybody asks, as long as that drives out no other.
    mutating func prefetch(_ holder: TokenHolder, _ now: ContinuousClock.Instant) -> [Action] {
        guard entry(of: holder) != nil || entries.count < mostEntries, let entry = useEntry(of: holder) else {
            return []
        }
        var actions: [Action] = []
        timeReached(entry, now, &actions)
        switch entry.machine.prefetch() {
        case .fetch: beginFetch(entry, &actions)
        case .none: break
        }
        settle(entry, &actions)
        return actions
    }

    /// Copies of a holder's token served requests, which counts as a use.
    mutating func used(_ holder: TokenHolder) {
        if let key = holder.key { _ = entries.use(key) }
    }

    /// Whoever sends requests names values, as many as it likes, and need not wait for the answers: without a bound it could
    /// have the token server asked by any number of connections at a time.
    private func mayFetch(_ entry: StoredEntry) -> Bool {
        fetches.variantCount < entries.capacity || !holders.isOfVariants(entry.key)
    }

    private var tooManyFetches: TokenError {
        TokenError(
            kind: .tooManyFetches,
            message:
                "tokens for \(fetches.variantCount) other values of requests are being fetched, and cacheSize allows no "
                + "more at a time: ask again, or raise it",
            retryAfter: .seconds(1))
    }
}
