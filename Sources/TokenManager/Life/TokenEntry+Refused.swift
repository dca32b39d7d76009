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
