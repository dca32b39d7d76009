/// A token with the times that decide what happens to it; no description or reflection shows its value.
package struct AccessToken: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The life assumed where nobody says one.
    package static let assumedLife: Duration = .seconds(300)
    /// A shorter life is refused: it could not be used, and asking anew for each use would be a flood.
    package static let shortestLife: Duration = .seconds(1)
    /// A longer life is cut to this, so that no mistake of a server keeps one token for years.
    package static let longestLife: Duration = .seconds(86_400)

    /// The token itself.
    package let value: String
    /// When the answer that held it came.
    package let receivedAt: ContinuousClock.Instant
    /// From this instant on a successor is asked for.
    package private(set) var refreshAt: ContinuousClock.Instant
    /// The hard end: from this instant on the token is not served.
    package private(set) var usableUntil: ContinuousClock.Instant
    /// What it is bound to; nil if to nothing.
    let proofKey: ProofKey?

    /// Computes a token's times from its receipt.
    ///
    /// It ends at the latest a second before what it would live from the request on, or a quarter of its life: nobody knows
    /// when in between the server began to count, and one that writes the end into the token in whole seconds cuts off
    /// up to one.
    ///
    /// - Parameters:
    ///   - value: The token itself.
    ///   - life: How long the server says that it lives, at least `shortestLife`; cut to `longestLife`.
    ///   - sent: When the request left.
    ///   - received: When the answer came.
    ///   - random: 0..<1, spreads the refreshes of many clients over a tenth of the life.
    package init(
        value: String, life: Duration, sent: ContinuousClock.Instant, received: ContinuousClock.Instant, random: Double
    ) {
        self.init(value: value, life: life, sent: sent, received: received, random: random, proofKey: nil)
    }

    /// The same for a token that may be bound to a key.
    init(
        value: String, life: Duration, sent: ContinuousClock.Instant, received: ContinuousClock.Instant,
        random: Double, proofKey: ProofKey?
    ) {
        let life = min(max(life, Self.shortestLife), Self.longestLife)
        self.value = value
        self.proofKey = proofKey
        receivedAt = received
        usableUntil = min(received + life - Self.margin(of: life), sent + life - min(.seconds(1), life * 0.25))
        // Where the end comes so early, the successor is asked for as much earlier, to be there in time.
        refreshAt = min(received + life * 0.8, usableUntil - life * 0.1) - life * 0.1 * random
    }

    /// How long before its end a token is given up, so that it does not expire on its way.
    package static func margin(of life: Duration) -> Duration { min(.seconds(10), life * 0.05) }

    /// The same token with its successor asked for at once.
    package func refreshed(at instant: ContinuousClock.Instant) -> AccessToken {
        var token = self
        token.refreshAt = instant
        return token
    }

    /// The same token, used no longer than to an instant, which asking for a successor would not move.
    package func ending(by end: ContinuousClock.Instant) -> AccessToken {
        guard end < usableUntil else { return self }
        var token = self
        token.usableUntil = end
        token.refreshAt = end
        return token
    }

    package var description: String { "<token>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror {
        Mirror(self, children: ["refreshAt": refreshAt, "usableUntil": usableUntil])
    }
}
