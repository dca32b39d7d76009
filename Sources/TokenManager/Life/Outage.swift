/// A run of failed fetches: the last error, how many failed in a row, and when the next attempt may start.
package struct Outage: Sendable, Equatable {
    /// The first definitive refusal is remembered for this long, each further one in a row twice as long.
    package static let firstRefusalPause: Duration = .seconds(5)
    /// No definitive refusal is remembered for longer: servers may lock a client out that asks again and again.
    package static let longestRefusalPause: Duration = .seconds(300)
    /// After a failure on this side, which says nothing about the server.
    package static let localPause: Duration = .seconds(1)
    /// Back-off doubles from one second to this.
    package static let longestPause: Duration = .seconds(60)
    /// A longer `Retry-After` is cut to this, so that a wrong one cannot silence a credential for hours.
    package static let longestRetryAfter: Duration = .seconds(300)

    /// The last failure, for those who ask.
    package let error: TokenError
    /// Failed attempts in a row that are worth repeating.
    package let failures: Int
    /// Definitive refusals in a row, with or without other failures between.
    package let refusals: Int
    /// No fetch starts before this instant.
    package let retryAt: ContinuousClock.Instant

    package init(error: TokenError, failures: Int, refusals: Int = 0, retryAt: ContinuousClock.Instant) {
        self.error = error
        self.failures = failures
        self.refusals = refusals
        self.retryAt = retryAt
    }

    /// The outage as it is after one more failure.
    ///
    /// - Parameters:
    ///   - failure: What happened.
    ///   - previous: The outage before it, if there was one.
    ///   - now: When it happened.
    ///   - random: 0..<1, spreads the pause over ± 25 %.
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
            // Six doublings are beyond the longest pause; more would overflow some day.
            let doubled = Duration.seconds(1 << min(failures - 1, 6))
            pause = min(doubled, Self.longestPause) * (0.75 + 0.5 * random)
        }
        retryAt = now + max(pause, asked)
    }

    /// The error for somebody who asks now.
    package func error(at now: ContinuousClock.Instant) -> TokenError {
        var error = error
        error.retryAfter = max(retryAt - now, .zero)
        return error
    }
}
