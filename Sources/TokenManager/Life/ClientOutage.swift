/// What a token server's failures say about the client of a parameterised credential, and so about all its values.
///
/// Whoever sends requests names values, as many as it likes: a back-off for each would spare the server nothing.
package enum ClientOutage: ~Copyable {
    /// The last fetch that says something about the client succeeded, or there was none.
    case none
    /// No value's fetch begins before the back-off is over, and until the second instant only a proven value's does. Left when
    /// one begins.
    case resting(Outage, provenUntil: ContinuousClock.Instant)
    /// The back-off is over, and one value's fetch tries for all. Left when it ends.
    case probing(ObjectIdentifier, Outage)

    /// For so long after the back-off only values that have had a token try for all: whoever sends requests names unknown
    /// ones faster than any that is good comes along.
    package static let provenPause: Duration = .seconds(1)

    /// What those hear at once who would need a fetch; nil where it may begin.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - isProven: Whether the value has had a token before, or none of the credential's values has.
    /// - Returns: The last error, with the time to wait.
    package func refusal(at now: ContinuousClock.Instant, isProven: Bool) -> TokenError? {
        switch self {
        case .none: return nil
        case .resting(let outage, let provenUntil):
            guard now >= outage.retryAt else { return outage.error(at: now) }
            guard !isProven, now < provenUntil else { return nil }
            var error = outage.error
            error.retryAfter = provenUntil - now
            return error
        case .probing(_, let outage):
            var error = outage.error
            error.retryAfter = .seconds(1)
            return error
        }
    }

    /// When the back-off is over; nil where none runs.
    var retryAt: ContinuousClock.Instant? {
        switch self {
        case .none: nil
        case .resting(let outage, _): outage.retryAt
        case .probing: nil
        }
    }

    /// A value's fetch began.
    package mutating func fetchBegan(_ fetch: ObjectIdentifier) {
        switch consume self {
        case .none: self = .none
        case .resting(let outage, _): self = .probing(fetch, outage)
        case .probing(let probe, let outage): self = .probing(probe, outage)
        }
    }

    /// A value's fetch failed for what the value is not to blame for; `random` is 0..<1 and spreads the back-off.
    // Inlined, it crashes the compiler of Swift 6.3.1 in a release build (copy propagation).
    @inline(never)
    package mutating func fetchFailed(
        _ fetch: ObjectIdentifier, _ failure: FetchFailure, now: ContinuousClock.Instant, random: Double
    ) {
        switch consume self {
        case .none: self = Self.resting(Outage(after: failure, previous: nil, now: now, random: random))
        case .resting(let outage, let provenUntil):
            // It was in flight already when the first failed: together they are one attempt.
            self = .resting(outage, provenUntil: provenUntil)
        case .probing(let probe, let outage):
            guard probe == fetch else {
                self = .probing(probe, outage)
                return
            }
            self = Self.resting(Outage(after: failure, previous: outage, now: now, random: random))
        }
    }

    private static func resting(_ outage: Outage) -> ClientOutage {
        .resting(outage, provenUntil: outage.retryAt + provenPause)
    }

    /// A value's fetch failed for what its request said: the next one tries for all.
    // Inlined, it crashes the compiler of Swift 6.3.1 in a release build (copy propagation).
    @inline(never)
    package mutating func valueRefused(_ fetch: ObjectIdentifier, now: ContinuousClock.Instant) {
        switch consume self {
        case .none: self = .none
        case .resting(let outage, let provenUntil): self = .resting(outage, provenUntil: provenUntil)
        case .probing(let probe, let outage):
            guard probe == fetch else {
                self = .probing(probe, outage)
                return
            }
            self = .resting(outage, provenUntil: now + Self.provenPause)
        }
    }

    /// A value's fetch succeeded, or the secrets are others: nothing is known against the client.
    package mutating func end() { self = .none }
}
