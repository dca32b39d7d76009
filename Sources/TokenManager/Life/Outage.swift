/// A run of failed fetches: the last error, the number of failures in a row, and when the next attempt may start.
package struct Outage: Sendable, Equatable {
    /// The pause after the first definitive refusal; it doubles with each further one in a row.
    package static let firstRefusalPause: Duration = .seconds(5)
    /// The longest pause after a definitive refusal: servers may lock out a client that asks again and again.
    package static let longestRefusalPause: Duration = .seconds(300)
    /// The pause after a failure of this process, which says nothing about the server.
    package static let localPause: Duration = .seconds(1)
    /// The longest back-off, which doubles from one second.
    package static let longestPause: Duration = .seconds(60)
    /// A longer `Retry-After` is cut to this, so that a wrong one cannot block a credential for hours.
    package static let longestRetryAfter: Duration = .seconds(300)

    /// The last failure, for callers.
    package let error: TokenError
    /// Failed attempts in a row that are worth repeating.
    package let failures: Int
    /// Definitive refusals in a row, with or without other failures in between.
    package let refusals: Int
    /// No fetch starts before this instant.
    package let retryAt: ContinuousClock.Instant

    package init(error: TokenError, failures: Int, refusals: Int = 0, retryAt: ContinuousClock.Instant) {
        self.error = error
        self.failures = failures
        self.refusals = refusals
        self.retryAt = retryAt
    }

    /// The outage after one more failure.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - previous: The outage before it, if there was one.
    ///   - now: When it happened.
    ///   - random: A number in 0..<1 that spreads the pause over ± 25 %.
    package init(after failure: FetchFailure, previous: Outage?, now: ContinuousClock.Instant, random: Double) {
        error = failure.error
        let asked = min(failure.retryAfter ?? .zero, Self.longestRetryAfter)
        let pause: Duration
        if failure.isDefinitive {
            failures = previous?.failures ?? 0
            refusals = (previous?.refusals ?? 0) + 1
            pause = min(Self.firstRefusalPause * (1 << min(refusals - 1, 6)), Self.longestRefusalPause)
        } else if failure.isLocal {
            failures = previous?.failures ?? 0
            refusals = previous?.refusals ?? 0
            pause = Self.localPause
        } else {
            refusals = previous?.refusals ?? 0
            failures = (previous?.failures ?? 0) + 1
            // Six doublings exceed the longest pause; more would overflow at some point.
            let doubled = Duration.seconds(1 << min(failures - 1, 6))
            pause = min(doubled, Self.longestPause) * (0.75 + 0.5 * random)
        }
        retryAt = now + max(pause, asked)
    }

    /// The error for a caller that asks now.
    package func error(at now: ContinuousClock.Instant) -> TokenError {
        var error = error
        error.retryAfter = max(retryAt - now, .zero)
        return error
    }
}

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
