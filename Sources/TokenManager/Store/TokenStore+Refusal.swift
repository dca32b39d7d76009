/// How a backend's refusal of a token is handled: another one is fetched, but not at each refusal.
extension TokenStore {
    /// At most one fetch in this time is begun because of refusals, so that a backend that refuses everything costs a
    /// token server next to nothing.
    static let refusalInterval: Duration = .seconds(10)

    /// A backend refused a token; `isServed` tells whether it is the one that is served now.
    mutating func refused(
        _ entry: StoredEntry, _ now: ContinuousClock.Instant, isServed: (AccessToken) -> Bool
    ) -> [Action] {
        var actions: [Action] = []
        timeReached(entry, now, &actions)
        guard let token = entry.machine.token, isServed(token) else { return actions }
        if let refusedAt = entry.refusedAt, now < refusedAt + Self.refusalInterval { return actions }
        // The back-off of all the credential's values counts as much as its own.
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
