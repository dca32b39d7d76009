/// A token with its times; no description or reflection shows its value.
package struct AccessToken: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The life that is assumed if neither the response nor the token states one.
    package static let assumedLife: Duration = .seconds(300)
    /// A token with a shorter life is refused: it is useless, and fetching one for each use would flood the server.
    package static let shortestLife: Duration = .seconds(1)
    /// A longer life is cut to this, so that a server's mistake does not keep one token for years.
    package static let longestLife: Duration = .seconds(86_400)

    /// The token itself.
    package let value: String
    /// When the response with the token arrived.
    package let receivedAt: ContinuousClock.Instant
    /// The instant from which a successor is fetched.
    package private(set) var refreshAt: ContinuousClock.Instant
    /// The hard end: the instant from which the token is not served.
    package private(set) var usableUntil: ContinuousClock.Instant
    /// The key that the token is bound to; nil if none.
    let proofKey: ProofKey?
    /// The number by which a refusal names the token; the store assigns it.
    private(set) var generation = TokenGeneration.unissued

    /// Computes a token's times from its receipt.
    ///
    /// The token ends at the latest one second before request time + life, or a quarter of the life if that is less. A
    /// server may start the life at any moment before it answers, and one that writes the end into the token in whole
    /// seconds cuts off up to one second.
    ///
    /// - Parameters:
    ///   - value: The token itself.
    ///   - life: The life that the server states, at least `shortestLife`; cut to `longestLife`.
    ///   - sent: When the request was sent.
    ///   - received: When the response arrived.
    ///   - random: A number in 0..<1 that spreads the refreshes of many clients over a tenth of the life.
    package init(
        value: String, life: Duration, sent: ContinuousClock.Instant, received: ContinuousClock.Instant, random: Double
    ) {
        self.init(value: value, life: life, sent: sent, received: received, random: random, proofKey: nil)
    }

    /// Computes the same times for a token that may be bound to a key.
    init(
        value: String, life: Duration, sent: ContinuousClock.Instant, received: ContinuousClock.Instant,
        random: Double, proofKey: ProofKey?
    ) {
        let life = min(max(life, Self.shortestLife), Self.longestLife)
        self.value = value
        self.proofKey = proofKey
        receivedAt = received
        usableUntil = min(received + life - Self.margin(of: life), sent + life - min(.seconds(1), life * 0.25))
        // At least a tenth of the life before the end, however early that is, so that the successor is there in time.
        refreshAt = min(received + life * 0.8, usableUntil - life * 0.1) - life * 0.1 * random
    }

    /// How long before its end a token is no longer used, so that it does not expire on the way to a backend.
    package static func margin(of life: Duration) -> Duration { min(.seconds(10), life * 0.05) }

    /// The same token with the generation that the store assigns to it.
    func numbered(_ generation: TokenGeneration) -> AccessToken {
        var token = self
        token.generation = generation
        return token
    }

    /// The same token, with its successor due at once.
    package func refreshed(at instant: ContinuousClock.Instant) -> AccessToken {
        var token = self
        token.refreshAt = instant
        return token
    }

    /// The same token, used no longer than until an instant that fetching a successor would not change.
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

/// The number by which a refusal names one token or value of a credential, without its text.
///
/// A token that is fetched later has another generation, even if the token server issues the same text again.
public struct TokenGeneration: Sendable, Hashable, CustomStringConvertible {
    /// The generation of a header that no token manager made; its refusal changes nothing.
    public static let unissued = TokenGeneration(number: 0)

    private let number: UInt64

    private init(number: UInt64) { self.number = number }

    /// The number alone.
    public var description: String { "\(number)" }

    /// Assigns generations, in the order in which tokens or values arrive.
    struct Count {
        private var number: UInt64 = 0

        /// The next generation.
        mutating func next() -> TokenGeneration {
            number += 1
            return TokenGeneration(number: number)
        }
    }
}
