extension TokenManager {
    enum Acquired {
        case token(AccessToken)
        case failed(TokenError)
        case parked(Waiter)
    }

    /// The place of a credential's key, made if it is not there; nil if the secret has never been readable.
    func slot(for record: CredentialRecord) -> TokenSlot? {
        guard let key = record.key, let secret = record.secret else { return nil }
        if let slot = slots.use(key) { return slot }
        let slot = TokenSlot(key: key, secret: secret)
        slots.insert(slot, for: key)
        return slot
    }

    func acquire(_ slot: TokenSlot, _ id: WaiterID, _ now: ContinuousClock.Instant) -> Acquired {
        timeReached(slot, now)
        defer { settle(slot) }
        switch slot.entry.acquire(id, now: now) {
        case .serve(let token): return .token(token)
        case .fail(let error): return .failed(error)
        case .park: return .parked(park(id, in: slot))
        case .parkAndFetch:
            beginFetch(slot)
            return .parked(park(id, in: slot))
        }
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
        switch slot.entry.timeReached(now) {
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
        let isWanted = holders[slot.key] != nil
        if !isWanted, slot.fetch == nil {
            drop(slot)
        } else if isStarted, !isStopped {
            slot.arm { startTimer(for: slot, $0) }
        }
        evict()
    }

    /// How many places there may be: a key that nobody means any more only waits for the end of its fetch, and takes no
    /// other's place.
    private var mostSlots: Int {
        guard slots.count >= slots.capacity else { return slots.capacity }
        return slots.capacity + slots.values.count { holders[$0.key] == nil }
    }

    private func evict() {
        guard slots.count > slots.capacity else { return }
        let limit = mostSlots
        // A key with a fetch in flight stays, so that there is no second one for it.
        while let evicted = slots.evict(beyond: limit, where: { $0.fetch == nil }) {
            evicted.disarm()
            withdraw(evicted.key)
        }
    }

    private func drop(_ slot: TokenSlot) {
        slot.disarm()
        if slots.peek(slot.key) === slot { _ = slots.remove(slot.key) }
    }

    private func park(_ id: WaiterID, in slot: TokenSlot) -> Waiter {
        let waiter = Waiter()
        slot.waiters[id] = waiter
        return waiter
    }

    private func beginFetch(_ slot: TokenSlot) {
        let request = slot.key.grant.request(secret: slot.secret)
        slot.fetch = startExchange(request, for: slot)
    }

    /// A fetch came to its end.
    func fetchEnded(_ slot: TokenSlot, _ result: Result<TokenResponse, TokenTransportError>) {
        slot.fetch = nil
        let now = clock.now
        timeReached(slot, now)
        let reader = TokenAnswer(from: slot.key.grant.url, secret: slot.secret)
        do throws(FetchFailure) {
            let token: AccessToken
            switch result {
            case .success(let response):
                token = try reader.read(
                    response, received: now, unixTime: clock.unixTime, random: randomFraction())
            case .failure(let error): throw reader.unreachable(error)
            }
            switch slot.entry.fetchSucceeded(token) {
            case .publish(let token, let waiters):
                publish(slot.key, token)
                slot.answer(waiters, .token(token))
            }
        } catch {
            let error = error
            switch slot.entry.fetchFailed(error, now: now, random: randomFraction()) {
            case .fail(let shown, let waiters): slot.answer(waiters, .failed(shown))
            case .none: break
            }
            report(slot.key, .failure(error.error))
        }
        settle(slot)
    }
}
