/// How a backend's refusal of a token is handled: another token is fetched, but not after every refusal.
extension TokenStore {
    /// Refusals begin at most one fetch in this time, so that a backend that refuses every token puts no load on the
    /// token server.
    static let refusalInterval: Duration = .seconds(10)

    /// A backend refused the token of this generation; the refusal counts only while that token is served.
    mutating func refused(
        _ generation: TokenGeneration, of entry: StoredEntry, _ now: ContinuousClock.Instant
    ) -> [Action] {
        var actions: [Action] = []
        timeReached(entry, now, &actions)
        guard entry.machine.token?.generation == generation else { return actions }
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
