/// Which entries stay, and who is told of what becomes of them.
extension TokenStore {
    /// After every event: sets the timer, and drops what is not wanted any more.
    mutating func settle(_ entry: StoredEntry, _ actions: inout [Action]) {
        if holders.isWanted(entry.key) {
            let isOfVariants = holders.isOfVariants(entry.key)
            actions.append(.wake(entry, at: isOfVariants ? entry.machine.endsAt : entry.machine.wakeAt))
        } else if entry.machine.isFetching {
            fetches.abandoned(entry.id)
        } else {
            drop(entry, &actions)
        }
        evict(&actions)
    }

    /// A key with a fetch in flight stays, so that there is no second one for it.
    private mutating func evict(_ actions: inout [Action]) {
        guard entries.count > mostEntries else { return }
        // The memory of a refusal is worth less than any token, and whoever sends requests could fill the store with such.
        while let evicted = evict(where: { $0.machine.token == nil && $1.isOfVariants($0.key) }) {
            letGo(evicted, &actions)
        }
        // What is configured is needed again for certain, and a worker's use of it is not heard of here.
        while let evicted = evict(where: { $1.isOfVariants($0.key) }) { letGo(evicted, &actions) }
        while let evicted = evict(where: { _, _ in true }) { letGo(evicted, &actions) }
    }

    private mutating func evict(where mayLeave: (StoredEntry, HolderTable) -> Bool) -> StoredEntry? {
        let holders = holders
        return entries.evict(beyond: mostEntries) { !$0.machine.isFetching && mayLeave($0, holders) }
    }

    /// Forgets a token, and the values that it was kept for.
    mutating func letGo(_ entry: StoredEntry, _ actions: inout [Action]) {
        withdraw(entry, &actions)
        drop(entry, &actions)
        for holder in holders[entry.key] where holder.variant != nil { forget(holder, &actions) }
    }

    private mutating func drop(_ entry: StoredEntry, _ actions: inout [Action]) {
        fetches.settled(entry.id)
        actions.append(.wake(entry, at: nil))
        if entries.peek(entry.key) === entry { _ = entries.remove(entry.key) }
    }

    /// A value's token is not kept any more.
    mutating func forget(_ holder: TokenHolder, _ actions: inout [Action]) {
        guard let variant = holder.variant else { preconditionFailure("a configured credential is forgotten") }
        variant.siblings.forget(variant)
        if let key = holder.key { leave(key, holder, &actions) }
    }

    /// A holder does not mean this key any more.
    mutating func leave(_ key: TokenKey, _ holder: TokenHolder, _ actions: inout [Action]) {
        holders.leave(holder, key)
        if let entry = entries.peek(key) { settle(entry, &actions) }
    }

    /// An entry has another token: everybody who means it hears of it.
    func publish(_ entry: StoredEntry, _ token: AccessToken, _ actions: inout [Action]) {
        for holder in holders[entry.key] { publish(holder, token, &actions) }
    }

    func publish(_ holder: TokenHolder, _ token: AccessToken, _ actions: inout [Action]) {
        holder.isPublished = true
        actions.append(.publish(holder, token))
    }

    /// An entry's token ended, or is not looked after any more.
    func withdraw(_ entry: StoredEntry, _ actions: inout [Action]) {
        for holder in holders[entry.key] { withdraw(holder, &actions) }
    }

    func withdraw(_ holder: TokenHolder, _ actions: inout [Action]) {
        guard holder.isPublished else { return }
        holder.isPublished = false
        actions.append(.withdraw(holder))
    }

    /// The owner stops: nothing is fetched or served any more.
    ///
    /// A fetch in flight that sent a refresh token may still bring another one, so the holders stay.
    ///
    /// - Returns: All entries, with those who are parked in them.
    mutating func stop() -> [(entry: StoredEntry, waiting: [WaiterID])] {
        var stopped: [(entry: StoredEntry, waiting: [WaiterID])] = []
        for entry in entries.values {
            _ = entries.remove(entry.key)
            switch entry.machine.stop() {
            case .fail(let waiters): stopped.append((entry, waiters))
            case .none: stopped.append((entry, []))
            }
        }
        return stopped
    }
}
