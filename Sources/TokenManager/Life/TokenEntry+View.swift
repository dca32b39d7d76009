extension TokenEntry {
    /// What a status page shows of an entry; nothing is decided by it.
    package struct View: Equatable, Sendable {
        package let state: CredentialStatus.State
        package let refreshAt: ContinuousClock.Instant?
        package let usableUntil: ContinuousClock.Instant?
    }

    /// How the entry looks at an instant; a token that has ended since the last event is not shown, nor is one to fall back
    /// on, as requests wait for its successor.
    package func view(at now: ContinuousClock.Instant) -> View {
        switch self {
        case .empty: return View(state: .empty, refreshAt: nil, usableUntil: nil)
        case .fetching: return View(state: .fetching, refreshAt: nil, usableUntil: nil)
        case .fresh(let token, let outage):
            guard now < token.usableUntil else { return View(state: .empty, refreshAt: nil, usableUntil: nil) }
            let refreshAt = max(token.refreshAt, outage?.retryAt ?? token.refreshAt)
            return View(state: .fresh, refreshAt: refreshAt, usableUntil: token.usableUntil)
        case .refreshing(let token, _):
            guard now < token.usableUntil else { return View(state: .fetching, refreshAt: nil, usableUntil: nil) }
            return View(state: .refreshing, refreshAt: nil, usableUntil: token.usableUntil)
        case .failed(let outage): return View(state: .failed, refreshAt: outage.retryAt, usableUntil: nil)
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

    /// When somebody who keeps a copy of the token should ask again, so that it is renewed.
    package func askAgainAt(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        // While a successor is on its way, or could be had at once, asking every second is enough.
        max(view(at: now).refreshAt ?? now, now + .seconds(1))
    }

    /// When nothing is left of the entry that is worth keeping, if nobody asks: the token, or the memory of failures.
    package var endsAt: ContinuousClock.Instant? {
        switch self {
        case .empty: nil
        case .fetching: nil
        case .fresh(let token, _): token.usableUntil
        case .refreshing(let token, _): token.usableUntil
        case .failed(let outage): outage.retryAt + Outage.longestRefusalPause
        }
    }

    /// The token to go on serving when another key takes over, if there is a usable one.
    package func token(at now: ContinuousClock.Instant) -> AccessToken? {
        switch self {
        case .empty: nil
        case .fetching: nil
        case .fresh(let token, _): now < token.usableUntil ? token : nil
        case .refreshing(let token, _): now < token.usableUntil ? token : nil
        case .failed: nil
        }
    }

    /// The token, if it is usable and nothing suggests that another one is needed before it is due.
    package func settledToken(at now: ContinuousClock.Instant) -> AccessToken? {
        switch self {
        case .empty: nil
        case .fetching: nil
        case .fresh(let token, let outage): outage == nil && now < token.usableUntil ? token : nil
        case .refreshing: nil
        case .failed: nil
        }
    }

    /// The token to fall back on when another key takes over while a refused one is being replaced.
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
