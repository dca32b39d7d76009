extension TokenEntry {
    /// The part of an entry that a status page shows.
    package struct View: Equatable, Sendable {
        package let state: CredentialStatus.State
        /// When the usable token arrived; nil without one.
        package let receivedAt: ContinuousClock.Instant?
        package let refreshAt: ContinuousClock.Instant?
        package let usableUntil: ContinuousClock.Instant?

        fileprivate init(
            _ state: CredentialStatus.State, _ token: AccessToken? = nil,
            refreshAt: ContinuousClock.Instant? = nil
        ) {
            self.state = state
            receivedAt = token?.receivedAt
            self.refreshAt = refreshAt
            usableUntil = token?.usableUntil
        }
    }

    /// The entry's state at an instant.
    ///
    /// A token that has ended since the last event is not shown. Nor is a fallback, because requests wait for its
    /// successor.
    package func view(at now: ContinuousClock.Instant) -> View {
        switch self {
        case .empty: return View(.empty)
        case .fetching: return View(.fetching)
        case .fresh(let token, let outage):
            guard now < token.usableUntil else { return View(.empty) }
            return View(.fresh, token, refreshAt: max(token.refreshAt, outage?.retryAt ?? token.refreshAt))
        case .refreshing(let token, _):
            guard now < token.usableUntil else { return View(.fetching) }
            return View(.refreshing, token)
        case .failed(let outage): return View(.failed, refreshAt: outage.retryAt)
        }
    }

    /// Whether a fetch is in flight.
    var isFetching: Bool {
        switch self {
        case .empty: false
        case .fetching: true
        case .fresh: false
        case .refreshing: true
        case .failed: false
        }
    }

    /// When a holder of a copy should ask again, so that the token is renewed.
    package func askAgainAt(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        // While a successor is being fetched, or could be fetched at once, asking every second suffices.
        max(view(at: now).refreshAt ?? now, now + .seconds(1))
    }

    /// When nothing worth keeping is left of the entry if no caller asks: neither the token nor the memory of
    /// failures.
    package var endsAt: ContinuousClock.Instant? {
        switch self {
        case .empty: nil
        case .fetching: nil
        case .fresh(let token, _): token.usableUntil
        case .refreshing(let token, _): token.usableUntil
        case .failed(let outage): outage.retryAt + Outage.longestRefusalPause
        }
    }

    /// The usable token that is served on when the key changes, if there is one.
    package func token(at now: ContinuousClock.Instant) -> AccessToken? {
        switch self {
        case .empty: nil
        case .fetching: nil
        case .fresh(let token, _): now < token.usableUntil ? token : nil
        case .refreshing(let token, _): now < token.usableUntil ? token : nil
        case .failed: nil
        }
    }

    /// The token, if it is usable and no other is needed before its refresh is due.
    package func settledToken(at now: ContinuousClock.Instant) -> AccessToken? {
        switch self {
        case .empty: nil
        case .fetching: nil
        case .fresh(let token, let outage): outage == nil && now < token.usableUntil ? token : nil
        case .refreshing: nil
        case .failed: nil
        }
    }

    /// The fallback when the key changes while a refused token is being replaced.
    package func fallback(at now: ContinuousClock.Instant) -> AccessToken? {
        switch self {
        case .empty: nil
        case .fetching(_, _, let fallback): fallback.flatMap { now < $0.usableUntil ? $0 : nil }
        case .fresh: nil
        case .refreshing: nil
        case .failed: nil
        }
    }
}
