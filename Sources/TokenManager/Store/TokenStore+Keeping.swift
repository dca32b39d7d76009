/// Which entries stay, and which holders hear of their changes.
extension TokenStore {
    /// Follows every event: sets the timer, and drops what is no longer needed.
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

    /// Evicts tokens beyond the capacity; a key with a fetch in flight stays, so that it gets no second fetch.
    private mutating func evict(_ actions: inout [Action]) {
        guard entries.count > mostEntries else { return }
        // The memory of a refusal is worth less than any token, and a client could fill the store with such memories.
        while let evicted = evict(where: { $0.machine.token == nil && $1.isOfVariants($0.key) }) {
            letGo(evicted, &actions)
        }
        // A configured credential is certainly needed again, and the store does not learn when a worker uses it.
        while let evicted = evict(where: { $1.isOfVariants($0.key) }) { letGo(evicted, &actions) }
        while let evicted = evict(where: { _, _ in true }) { letGo(evicted, &actions) }
    }

    private mutating func evict(where mayLeave: (StoredEntry, HolderTable) -> Bool) -> StoredEntry? {
        let holders = holders
        return entries.evict(beyond: mostEntries) { !$0.machine.isFetching && mayLeave($0, holders) }
    }

    /// Removes a token, and the variants that it was kept for.
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

    /// Stops keeping a variant's token.
    mutating func forget(_ holder: TokenHolder, _ actions: inout [Action]) {
        guard let variant = holder.variant else { preconditionFailure("a configured credential is forgotten") }
        variant.siblings.forget(variant)
        if let key = holder.key { leave(key, holder, &actions) }
    }

    /// A holder no longer has this key.
    mutating func leave(_ key: TokenKey, _ holder: TokenHolder, _ actions: inout [Action]) {
        holders.leave(holder, key)
        if let entry = entries.peek(key) { settle(entry, &actions) }
    }

    /// An entry has another token: notifies all of its holders.
    func publish(_ entry: StoredEntry, _ token: AccessToken, _ actions: inout [Action]) {
        for holder in holders[entry.key] { publish(holder, token, &actions) }
    }

    func publish(_ holder: TokenHolder, _ token: AccessToken, _ actions: inout [Action]) {
        holder.isPublished = true
        actions.append(.publish(holder, token))
    }

    /// An entry's token ended, or is no longer kept.
    func withdraw(_ entry: StoredEntry, _ actions: inout [Action]) {
        for holder in holders[entry.key] { withdraw(holder, &actions) }
    }

    func withdraw(_ holder: TokenHolder, _ actions: inout [Action]) {
        guard holder.isPublished else { return }
        holder.isPublished = false
        actions.append(.withdraw(holder))
    }

    /// A configured credential, or a variant of it, needs no token any more; the observer keeps its copy.
    ///
    /// A fetch in flight continues for the callers that wait for it.
    mutating func retire(_ holder: TokenHolder, _ actions: inout [Action]) {
        holder.isPublished = false
        guard let key = holder.key else { return }
        holder.key = nil
        leave(key, holder, &actions)
    }

    /// Keeps this many tokens from now on.
    mutating func resize(_ capacity: Int) -> [Action] {
        entries.resize(capacity)
        var actions: [Action] = []
        evict(&actions)
        return actions
    }

    /// The owner stops: nothing is fetched or served any more.
    ///
    /// A fetch in flight that sent a refresh token may still bring another one, so the holders stay.
    ///
    /// - Returns: All entries, with the callers parked in them.
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
