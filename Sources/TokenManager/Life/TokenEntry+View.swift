extension TokenEntry {
    /// What a status page shows of an entry; nothing is decided by it.
    package struct View: Equatable, Sendable {
        package let state: CredentialStatus.State
        package let refreshAt: ContinuousClock.Instant?
        package let usableUntil: ContinuousClock.Instant?
    }

    /// How the entry looks at an instant; a token that has ended since the last event is not shown.
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
}
