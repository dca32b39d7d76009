/// How a backend's refusal of a token is handled: another token is fetched, but not after every refusal.
extension TokenStore {
    /// Refusals begin at most one fetch in this time, so that a backend that refuses every token puts no load on the
    /// token server.
    static let refusalInterval: Duration = .seconds(10)

    /// A backend refused a token; `isServed` tells whether that is the token which is served now.
    mutating func refused(
        _ entry: StoredEntry, _ now: ContinuousClock.Instant, isServed: (AccessToken) -> Bool
    ) -> [Action] {
        var actions: [Action] = []
        timeReached(entry, now, &actions)
        guard let token = entry.machine.token, isServed(token) else { return actions }
        if let refusedAt = entry.refusedAt, now < refusedAt + Self.refusalInterval { return actions }
        // The back-off of all of the credential's variants counts as well as the entry's own.
        if !entry.machine.isFetching, clientRefusal(of: entry, now) != nil { return actions }
        switch entry.machine.refused(now: now) {
        case .withdrawAndFetch:
            entry.refusedAt = now
            withdraw(entry, &actions)
            beginFetch(entry, &actions)
        case .withdraw:
            entry.refusedAt = now
            withdraw(entry, &actions)
        case .none: break
        }
        settle(entry, &actions)
        return actions
    }
}
