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
