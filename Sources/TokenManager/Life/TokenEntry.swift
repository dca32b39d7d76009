/// The life of the token of one key.
///
/// The owner reports the time (`timeReached`) before any other event of an instant. So in every other event, a token
/// that the machine holds is usable. The owner performs the action that an event returns and never looks at the
/// state.
package enum TokenEntry: ~Copyable {
    /// No caller has asked yet. Left by `acquire` and `prefetch`.
    case empty
    /// One fetch is in flight and no token is served; the waiters are parked, oldest first. The fallback is a usable
    /// token that a backend refused: it is served again if the fetch fails. Left when the fetch ends.
    case fetching(waiters: [WaiterID], outage: Outage?, fallback: AccessToken?)
    /// The token is served. With an outage, its last refresh failed, and the next one waits for the back-off. Left by
    /// time.
    case fresh(AccessToken, outage: Outage?)
    /// As `fresh`, with the fetch of the successor in flight. Left when the fetch or the token ends.
    case refreshing(AccessToken, outage: Outage?)
    /// There is no usable token and the back-off runs: callers fail fast, so that an outage causes no flood of
    /// requests. Left by time.
    case failed(Outage)

    /// An entry that continues to serve a token fetched under another key, and fetches its own at once.
    package init(adopting token: AccessToken, now: ContinuousClock.Instant) {
        self = .fresh(token.refreshed(at: now), outage: nil)
    }

    /// An entry that continues to serve a token fetched under another key until that token's refresh is due.
    package init(keeping token: AccessToken) {
        self = .fresh(token, outage: nil)
    }

    /// An entry whose fetch begins with it, and whose fallback is a refused token fetched under another key.
    package init(fallingBackOn token: AccessToken) {
        self = .fetching(waiters: [], outage: nil, fallback: token)
    }

    /// When `timeReached` must be called next, if nothing else happens.
    package var wakeAt: ContinuousClock.Instant? {
        switch self {
        case .empty: nil
        case .fetching: nil
        case .fresh(let token, let outage):
            min(Self.refreshAt(token, outage), token.usableUntil)
        case .refreshing(let token, _): token.usableUntil
        case .failed(let outage): outage.retryAt
        }
    }

    package enum AcquireAction: Equatable {
        /// Answer with this token.
        case serve(AccessToken)
        /// Park the waiter and start the fetch.
        case parkAndFetch
        /// Park the waiter; the fetch is in flight.
        case park
        /// Answer with this error.
        case fail(TokenError)
        /// Answer that no fetch may begin.
        case turnAway
    }

    /// A caller asks for a token; without a token or a fetch in flight, the answer depends on `mayFetch`.
    package mutating func acquire(
        _ waiter: WaiterID, now: ContinuousClock.Instant, mayFetch: Bool
    ) -> AcquireAction {
        switch consume self {
        case .empty:
            guard mayFetch else {
                self = .empty
                return .turnAway
            }
            self = .fetching(waiters: [waiter], outage: nil, fallback: nil)
            return .parkAndFetch
        case .fetching(var waiters, let outage, let fallback):
            waiters.append(waiter)
            self = .fetching(waiters: waiters, outage: outage, fallback: fallback)
            return .park
        case .fresh(let token, let outage):
            precondition(now < token.usableUntil, "a token was acquired before the time was reported")
            self = .fresh(token, outage: outage)
            return .serve(token)
        case .refreshing(let token, let outage):
            precondition(now < token.usableUntil, "a token was acquired before the time was reported")
            self = .refreshing(token, outage: outage)
            return .serve(token)
        case .failed(let outage):
            self = .failed(outage)
            return .fail(outage.error(at: now))
        }
    }

    package enum PrefetchAction: Equatable {
        /// Start the fetch.
        case fetch
        /// There is a token, or a fetch is in flight, or the back-off runs.
        case none
    }

    /// A token should be ready before a caller asks.
    package mutating func prefetch() -> PrefetchAction {
        switch consume self {
        case .empty:
            self = .fetching(waiters: [], outage: nil, fallback: nil)
            return .fetch
        case .fetching(let waiters, let outage, let fallback):
            self = .fetching(waiters: waiters, outage: outage, fallback: fallback)
            return .none
        case .fresh(let token, let outage):
            self = .fresh(token, outage: outage)
            return .none
        case .refreshing(let token, let outage):
            self = .refreshing(token, outage: outage)
            return .none
        case .failed(let outage):
            self = .failed(outage)
            return .none
        }
    }

    package enum TimeReachedAction: Equatable {
        /// Start the fetch.
        case fetch
        /// The token ended: notify the holders of copies.
        case withdraw
        /// The token ended: notify the holders of copies, and start the fetch.
        case withdrawAndFetch
        case none
    }

    /// Time has passed, whether or not `wakeAt` was reached; `mayFetch` decides whether a fetch may begin.
    package mutating func timeReached(_ now: ContinuousClock.Instant, mayFetch: Bool) -> TimeReachedAction {
        switch consume self {
        case .empty:
            self = .empty
            return .none
        case .fetching(let waiters, let outage, let fallback):
            let isUsable = fallback.map { now < $0.usableUntil } ?? false
            self = .fetching(waiters: waiters, outage: outage, fallback: isUsable ? fallback : nil)
            return .none
        case .fresh(let token, let outage):
            if now >= token.usableUntil {
                // The end of the token does not end the back-off: an expiry during an outage is no reason to hurry.
                if let outage, now < outage.retryAt {
                    self = .failed(outage)
                    return .withdraw
                }
                guard mayFetch else {
                    self = .empty
                    return .withdraw
                }
                self = .fetching(waiters: [], outage: outage, fallback: nil)
                return .withdrawAndFetch
            }
            guard mayFetch, now >= Self.refreshAt(token, outage) else {
                self = .fresh(token, outage: outage)
                return .none
            }
            self = .refreshing(token, outage: outage)
            return .fetch
        case .refreshing(let token, let outage):
            guard now >= token.usableUntil else {
                self = .refreshing(token, outage: outage)
                return .none
            }
            self = .fetching(waiters: [], outage: outage, fallback: nil)
            return .withdraw
        case .failed(let outage):
            guard now >= outage.retryAt else {
                self = .failed(outage)
                return .none
            }
            guard mayFetch else {
                self = .empty
                return .none
            }
            self = .fetching(waiters: [], outage: outage, fallback: nil)
            return .fetch
        }
    }

    private static func refreshAt(_ token: AccessToken, _ outage: Outage?) -> ContinuousClock.Instant {
        guard let outage else { return token.refreshAt }
        return max(token.refreshAt, outage.retryAt)
    }
}
