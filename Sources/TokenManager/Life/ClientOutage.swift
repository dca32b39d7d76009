/// What a token server's failures say about the client of a parameterised credential, and so about all its variants.
///
/// A client that sends requests can name any number of values, so a back-off for each would not protect the server.
package enum ClientOutage: ~Copyable {
    /// The last fetch that concerns the client succeeded, or there was none.
    case none
    /// No variant's fetch begins before the back-off is over; until `provenUntil`, only a proven variant's fetch may.
    /// Left when one begins.
    case resting(Outage, provenUntil: ContinuousClock.Instant)
    /// The back-off is over, and one variant's fetch is the attempt for all. Left when it ends.
    case probing(ObjectIdentifier, Outage)

    /// For this long after the back-off, only variants that have had a token may be the attempt for all.
    ///
    /// Otherwise a client that names unknown values would always come first.
    package static let provenPause: Duration = .seconds(1)

    /// The error for a caller that would need a fetch; nil if the fetch may begin.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - isProven: Whether the variant has had a token before, or none of the credential's variants has.
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

    /// When the back-off ends; nil if none runs.
    var retryAt: ContinuousClock.Instant? {
        switch self {
        case .none: nil
        case .resting(let outage, _): outage.retryAt
        case .probing: nil
        }
    }

    /// A variant's fetch began.
    package mutating func fetchBegan(_ fetch: ObjectIdentifier) {
        switch consume self {
        case .none: self = .none
        case .resting(let outage, _): self = .probing(fetch, outage)
        case .probing(let probe, let outage): self = .probing(probe, outage)
        }
    }

    /// A variant's fetch failed for a reason other than its values; `random` is in 0..<1 and spreads the back-off.
    // Inlined, it crashes the compiler of Swift 6.3.1 in a release build (copy propagation).
    @inline(never)
    package mutating func fetchFailed(
        _ fetch: ObjectIdentifier, _ failure: FetchFailure, now: ContinuousClock.Instant, random: Double
    ) {
        switch consume self {
        case .none: self = Self.resting(Outage(after: failure, previous: nil, now: now, random: random))
        case .resting(let outage, let provenUntil):
            // This fetch was in flight already when the first one failed: together they are one attempt.
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

    /// A variant's fetch failed because of its values: the next fetch is the attempt for all.
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

    /// A variant's fetch succeeded, or the secrets changed: the back-off ends.
    package mutating func end() { self = .none }
}
