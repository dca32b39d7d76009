extension TokenEntry {
    package enum RefreshRequestedAction: Equatable {
        /// Start the fetch.
        case fetch
        /// The fetch is in flight.
        case none
    }

    /// An operator wants another token now, whatever the back-off; the old one is served until it comes.
    package mutating func refreshRequested() -> RefreshRequestedAction {
        switch consume self {
        case .empty:
            self = .fetching(waiters: [], outage: nil, fallback: nil)
            return .fetch
        case .fetching(let waiters, let outage, let fallback):
            self = .fetching(waiters: waiters, outage: outage, fallback: fallback)
            return .none
        case .fresh(let token, let outage):
            self = .refreshing(token, outage: outage)
            return .fetch
        case .refreshing(let token, let outage):
            self = .refreshing(token, outage: outage)
            return .none
        case .failed(let outage):
            self = .fetching(waiters: [], outage: outage, fallback: nil)
            return .fetch
        }
    }

    package enum FetchSucceededAction: Equatable {
        /// Notify the holders of copies, and answer the waiters with the token.
        case publish(AccessToken, waiters: [WaiterID])
    }

    /// The fetch brought a token.
    package mutating func fetchSucceeded(_ token: AccessToken) -> FetchSucceededAction {
        switch consume self {
        case .empty: preconditionFailure("a fetch ended before it started")
        case .fetching(let waiters, _, _):
            self = .fresh(token, outage: nil)
            return .publish(token, waiters: waiters)
        case .fresh: preconditionFailure("a fetch ended before it started")
        case .refreshing:
            self = .fresh(token, outage: nil)
            return .publish(token, waiters: [])
        case .failed: preconditionFailure("a fetch ended before it started")
        }
    }

    package enum FetchFailedAction: Equatable {
        /// Answer the waiters with the error.
        case fail(TokenError, waiters: [WaiterID])
        /// The token that a backend refused is served again: notify those that keep copies, and answer the waiters
        /// with it.
        case fallBack(AccessToken, waiters: [WaiterID])
        /// No caller waits, and the old token is still served.
        case none
    }

    /// The fetch brought no token; `random` is in 0..<1 and spreads the back-off.
    package mutating func fetchFailed(
        _ failure: FetchFailure, now: ContinuousClock.Instant, random: Double
    ) -> FetchFailedAction {
        switch consume self {
        case .empty: preconditionFailure("a fetch ended before it started")
        case .fetching(let waiters, let previous, let fallback):
            let outage = Outage(after: failure, previous: previous, now: now, random: random)
            guard let fallback else {
                self = .failed(outage)
                return .fail(outage.error(at: now), waiters: waiters)
            }
            precondition(now < fallback.usableUntil, "a fetch ended before the time was reported")
            // Its own refresh may be far away, and it may be bad: its successor is still needed.
            let token = fallback.refreshed(at: outage.retryAt)
            self = .fresh(token, outage: outage)
            return .fallBack(token, waiters: waiters)
        case .fresh: preconditionFailure("a fetch ended before it started")
        case .refreshing(let token, let previous):
            self = .fresh(token, outage: Outage(after: failure, previous: previous, now: now, random: random))
            return .none
        case .failed: preconditionFailure("a fetch ended before it started")
        }
    }

    package enum WaiterLeftAction: Equatable {
        /// The caller no longer waits, and must not be answered.
        case forget
        /// The caller was answered at the same moment.
        case none
    }

    /// A parked waiter was cancelled.
    ///
    /// The fetch continues: other callers wait for it or will ask.
    package mutating func waiterLeft(_ waiter: WaiterID) -> WaiterLeftAction {
        switch consume self {
        case .empty:
            self = .empty
            return .none
        case .fetching(var waiters, let outage, let fallback):
            let index = waiters.firstIndex(of: waiter)
            if let index { waiters.remove(at: index) }
            self = .fetching(waiters: waiters, outage: outage, fallback: fallback)
            return index == nil ? .none : .forget
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

    package enum StopAction: Equatable {
        /// Answer the waiters that the manager was stopped.
        case fail(waiters: [WaiterID])
        case none
    }

    /// The owner stops: nothing is fetched or served any more.
    package mutating func stop() -> StopAction {
        switch consume self {
        case .empty:
            self = .empty
            return .none
        case .fetching(let waiters, _, _):
            self = .empty
            return waiters.isEmpty ? .none : .fail(waiters: waiters)
        case .fresh:
            self = .empty
            return .none
        case .refreshing:
            self = .empty
            return .none
        case .failed:
            self = .empty
            return .none
        }
    }
}

extension TokenEntry {
    /// The token that is currently served.
    package var token: AccessToken? {
        switch self {
        case .empty: nil
        case .fetching: nil
        case .fresh(let token, _): token
        case .refreshing(let token, _): token
        case .failed: nil
        }
    }

    package enum RefusedAction: Equatable {
        /// Notify the holders of copies, and start the fetch.
        case withdrawAndFetch
        /// Notify the holders of copies; the fetch is in flight.
        case withdraw
        /// There is no token, or the back-off runs.
        case none
    }

    /// A backend refused the current token: it is served again only if no successor can be fetched.
    package mutating func refused(now: ContinuousClock.Instant) -> RefusedAction {
        switch consume self {
        case .empty:
            self = .empty
            return .none
        case .fetching(let waiters, let outage, let fallback):
            self = .fetching(waiters: waiters, outage: outage, fallback: fallback)
            return .none
        case .fresh(let token, let outage):
            // A refused token is better than none while no other can be fetched: the backend then answers the request
            // itself.
            if let outage, now < outage.retryAt {
                self = .fresh(token, outage: outage)
                return .none
            }
            self = .fetching(waiters: [], outage: outage, fallback: token)
            return .withdrawAndFetch
        case .refreshing(let token, let outage):
            self = .fetching(waiters: [], outage: outage, fallback: token)
            return .withdraw
        case .failed(let outage):
            self = .failed(outage)
            return .none
        }
    }
}
