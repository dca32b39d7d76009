/// A caller asks for a token, or a token should be ready before a caller asks.
extension TokenStore {
    /// What happens to a caller.
    enum Acquired {
        case token(AccessToken)
        case failed(TokenError)
        /// The caller is parked under its number until an `answer` names it.
        case parked
    }

    /// A caller asks for a token.
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

    /// A parked caller was cancelled; the fetch continues for the others.
    mutating func waiterLeft(_ entry: StoredEntry, _ id: WaiterID) -> TokenEntry.WaiterLeftAction {
        entry.machine.waiterLeft(id)
    }

    /// A holder's token should be ready before a caller asks, as long as that evicts no other token.
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

    /// An operator wants another token of an entry.
    mutating func refreshRequested(_ entry: StoredEntry, _ now: ContinuousClock.Instant) -> [Action] {
        var actions: [Action] = []
        timeReached(entry, now, &actions)
        switch entry.machine.refreshRequested() {
        case .fetch: beginFetch(entry, &actions)
        case .none: break
        }
        settle(entry, &actions)
        return actions
    }

    /// Requests were served with copies of a holder's token, which counts as a use.
    mutating func used(_ holder: TokenHolder) {
        if let key = holder.key { _ = entries.use(key) }
    }

    /// Whether one more fetch may begin for an entry that only variants need.
    ///
    /// A client can name any number of values and need not wait for responses. Without a limit, it could cause any
    /// number of simultaneous connections to the token server.
    private func mayFetch(_ entry: StoredEntry) -> Bool {
        fetches.variantCount < entries.capacity || !holders.isOfVariants(entry.key)
    }

    private var tooManyFetches: TokenError {
        TokenError(
            kind: .tooManyFetches,
            message:
                "tokens for \(fetches.variantCount) other values of requests are being fetched, and cacheSize allows no "
                + "more at a time: try again, or raise it",
            retryAfter: .seconds(1))
    }
}
