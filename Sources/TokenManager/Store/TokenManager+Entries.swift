extension TokenManager {
    enum Acquired {
        case token(AccessToken)
        case failed(TokenError)
        case parked(Waiter<TokenSlot.Answer>)
    }

    /// The place of a credential's key, made if it is not there; nil if the secrets have never been readable.
    func slot(for record: CredentialRecord) -> TokenSlot? {
        guard let key = record.key, let secrets = record.secrets else { return nil }
        if let slot = slots.use(key) { return slot }
        let slot = TokenSlot(key: key, secrets: secrets, end: record.variant?.end)
        slots.insert(slot, for: key)
        return slot
    }

    func acquire(_ slot: TokenSlot, _ id: WaiterID, _ now: ContinuousClock.Instant) -> Acquired {
        timeReached(slot, now)
        defer { settle(slot) }
        let refusal = clientRefusal(of: slot, now)
        switch slot.entry.acquire(id, now: now, mayFetch: refusal == nil && mayFetch(slot)) {
        case .serve(let token): return .token(token)
        case .fail(let error): return .failed(error)
        case .park: return .parked(park(id, in: slot))
        case .parkAndFetch:
            beginFetch(slot)
            return .parked(park(id, in: slot))
        case .turnAway:
            letGo(slot)
            return .failed(refusal ?? tooManyFetches)
        }
    }

    /// Whoever sends requests names values, as many as it likes, and need not wait for the answers: without a bound it could
    /// have the token server asked by any number of connections at a time.
    private func mayFetch(_ slot: TokenSlot) -> Bool { valueFetches.count < slots.capacity || !isOfVariants(slot) }

    private var tooManyFetches: TokenError {
        TokenError(
            kind: .tooManyFetches,
            message:
                "tokens for \(valueFetches.count) other values of requests are being fetched, and cacheSize allows no "
                + "more at a time: ask again, or raise it",
            retryAfter: .seconds(1))
    }

    /// A waiter was cancelled; its own task tells.
    func forget(_ id: WaiterID, in slot: TokenSlot) {
        switch slot.entry.waiterLeft(id) {
        case .forget: slot.waiters[id] = nil
        case .none: break
        }
    }

    /// Fetches a credential's token before anybody asks, as long as that drives out no other.
    func prefetch(_ record: CredentialRecord, _ now: ContinuousClock.Instant) {
        guard let key = record.key, slots.peek(key) != nil || slots.count < mostSlots else { return }
        guard let slot = slot(for: record) else { return }
        timeReached(slot, now)
        switch slot.entry.prefetch() {
        case .fetch: beginFetch(slot)
        case .none: break
        }
        settle(slot)
    }

    func timeReached(_ slot: TokenSlot, _ now: ContinuousClock.Instant) {
        switch slot.entry.timeReached(now, mayFetch: clientRefusal(of: slot, now) == nil) {
        case .fetch: beginFetch(slot)
        case .withdraw: withdraw(slot.key)
        case .withdrawAndFetch:
            withdraw(slot.key)
            beginFetch(slot)
        case .none: break
        }
    }

    /// After every event: sets the timer, and drops what is not wanted any more.
    func settle(_ slot: TokenSlot) {
        if holders[slot.key] != nil {
            if isStarted, !isStopped {
                slot.arm(for: isOfVariants(slot) ? slot.entry.endsAt : slot.entry.wakeAt) { startTimer(for: slot, $0) }
            }
        } else if slot.fetch == nil {
            drop(slot)
        } else if !valueFetches.contains(ObjectIdentifier(slot)) {
            abandoned.insert(ObjectIdentifier(slot))
        }
        evict()
    }

    /// The instant has come that a slot's timer was set to.
    func timerFired(_ slot: TokenSlot) {
        slot.disarm()
        let now = clock.now
        if isOfVariants(slot), slot.fetch == nil, slot.entry.endsAt.map({ $0 <= now }) ?? true {
            letGo(slot)
        } else {
            timeReached(slot, now)
            settle(slot)
        }
    }

    /// Whether only values of requests need this token: then it is renewed because somebody asks, or not at all.
    func isOfVariants(_ slot: TokenSlot) -> Bool {
        holders[slot.key]?.allSatisfy { $0.variant != nil } ?? false
    }

    /// How many places there may be: a key that nobody means any more, or a request's value, only waits for the end of its
    /// fetch, and takes no other's place meanwhile.
    private var mostSlots: Int { slots.capacity + abandoned.count + valueFetches.count }

    /// A key with a fetch in flight stays, so that there is no second one for it.
    private func evict() {
        guard slots.count > mostSlots else { return }
        // The memory of a refusal is worth less than any token, and whoever sends requests could fill the cache with such.
        while let evicted = slots.evict(
            beyond: mostSlots, where: { $0.fetch == nil && $0.entry.token == nil && isOfVariants($0) })
        {
            letGo(evicted)
        }
        // What is configured is needed again for certain, and a worker's use of it is not heard of here.
        while let evicted = slots.evict(beyond: mostSlots, where: { $0.fetch == nil && isOfVariants($0) }) {
            letGo(evicted)
        }
        while let evicted = slots.evict(beyond: mostSlots, where: { $0.fetch == nil }) { letGo(evicted) }
    }

    /// Forgets a token, and the values that it was kept for.
    private func letGo(_ slot: TokenSlot) {
        withdraw(slot.key)
        drop(slot)
        for record in holders[slot.key] ?? [] where record.variant != nil { forget(record) }
    }

    private func drop(_ slot: TokenSlot) {
        abandoned.remove(ObjectIdentifier(slot))
        slot.disarm()
        if slots.peek(slot.key) === slot { _ = slots.remove(slot.key) }
    }

    private func park(_ id: WaiterID, in slot: TokenSlot) -> Waiter<TokenSlot.Answer> {
        let waiter = Waiter<TokenSlot.Answer>()
        slot.waiters[id] = waiter
        return waiter
    }

    func beginFetch(_ slot: TokenSlot) {
        slot.fetch = startFetch(for: slot)
        if isOfVariants(slot) { valueFetches.insert(ObjectIdentifier(slot)) }
        noteFetchBegan(slot)
    }

    /// A fetch came to its end.
    func fetchEnded(_ slot: TokenSlot, _ result: Result<TokenAnswer.Grant, FetchFailure>) {
        slot.fetch = nil
        slot.spending = nil
        valueFetches.remove(ObjectIdentifier(slot))
        let now = clock.now
        timeReached(slot, now)
        switch result {
        case .success(let granted):
            let token = slot.end.map { granted.token.ending(by: $0) } ?? granted.token
            switch slot.entry.fetchSucceeded(token) {
            case .publish(let token, let waiters):
                publish(slot.key, token)
                reportFetched(slot.key, token, now)
                slot.answer(waiters, .token(token))
            }
            noteFetchSucceeded(slot)
        case .failure(let failure):
            let random = randomFraction()
            switch slot.entry.fetchFailed(failure, now: now, random: random) {
            case .fail(let shown, let waiters): slot.answer(waiters, .failed(shown))
            case .fallBack(let token, let waiters):
                publish(slot.key, token)
                // Where the credential means another key by now, its callers ask again under that one.
                slot.answer(waiters, holders[slot.key] == nil ? .failed(failure.error) : .token(token))
            case .none: break
            }
            noteFetchFailed(slot, failure, now, random)
            reportFailed(slot, failure.error, now)
            if clientRefusal(of: slot, now) != nil, slot.entry.token == nil { letGo(slot) }
        }
        settle(slot)
    }
}
