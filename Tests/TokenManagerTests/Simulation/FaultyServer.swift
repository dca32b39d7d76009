import Locking
import Support
import TokenManager

/// A token server that works most of the time, and keeps a model of what its clients may do: what it issued and until when,
/// and from when on each of them may ask again.
final class FaultyServer: Sendable {
    struct Model {
        var random: SeededGenerator
        var downUntil: ContinuousClock.Instant?
        /// The hard end of each token that was issued.
        var ends: [String: ContinuousClock.Instant] = [:]
        var notBefore: [String: ContinuousClock.Instant] = [:]
        var failures: [String: Int] = [:]
        var refusals: [String: Int] = [:]
        /// Clients with a request that has not been answered.
        var open: Set<String> = []
        var requests = 0
        var faults = 0
        var violations: [String] = []
    }

    private let clock: ManualClock
    private let model: Locked<Model>

    init(clock: ManualClock, seed: UInt64) {
        self.clock = clock
        model = Locked(Model(random: SeededGenerator(seed: seed)))
    }

    var violations: [String] { model.withLock { $0.violations } }
    var requests: Int { model.withLock { $0.requests } }
    var faults: Int { model.withLock { $0.faults } }

    /// Nobody gets an answer until then.
    func goDown(until instant: ContinuousClock.Instant) { model.withLock { $0.downUntil = instant } }

    /// Whether a token was issued here and may still be sent.
    func isUsable(_ header: AuthorizationHeader, at now: ContinuousClock.Instant) -> Bool {
        model.withLock { $0.ends[header.value].map { now < $0 } ?? false }
    }

    /// The answer to a request that has just come, or nil for one that hangs.
    func answer(_ exchange: ScriptedTransport.Exchange) -> ScriptedTransport.Answer? {
        model.withLock { model in
            let client = exchange.request.url.host
            model.requests += 1
            if !model.open.insert(client).inserted { model.violations.append("\(client): two fetches in flight") }
            if let instant = model.notBefore[client], clock.now < instant {
                model.violations.append("\(client): the back-off was beaten")
            }
            let isHanging = Int.random(in: 0..<40, using: &model.random) == 0
            return isHanging ? nil : Self.answer(exchange, &model, clock.now)
        }
    }

    /// The answer to a request that has hung until now.
    func lateAnswer(_ exchange: ScriptedTransport.Exchange) -> ScriptedTransport.Answer {
        model.withLock { Self.answer(exchange, &$0, clock.now) }
    }

    private static func answer(
        _ exchange: ScriptedTransport.Exchange, _ model: inout Model, _ now: ContinuousClock.Instant
    ) -> ScriptedTransport.Answer {
        let client = exchange.request.url.host
        model.open.remove(client)
        let isDown = model.downUntil.map { now < $0 } ?? false
        let choice = isDown ? 100 : Int.random(in: 0..<100, using: &model.random)
        guard choice >= 85 else {
            // From a quarter of a minute to a week, short and long lives alike; longer than a day counts as a day.
            let life = Int(exp2(Double.random(in: 4...19.2, using: &model.random)))
            let token = "t\(exchange.number)"
            let counted = min(life, 86_400)
            let margin = min(Duration.seconds(10), .seconds(Double(counted) * 0.05))
            model.ends["Bearer \(token)"] = now + .seconds(counted) - margin + .microseconds(1)
            model.notBefore[client] = nil
            model.failures[client] = nil
            model.refusals[client] = nil
            return .token(token, life: life)
        }
        model.faults += 1
        if choice < 88 {
            let count = (model.refusals[client] ?? 0) + 1
            model.refusals[client] = count
            model.notBefore[client] = now + min(.seconds(5 << min(count - 1, 6)), .seconds(300)) - .microseconds(1)
            return [.oauthError(401, "invalid_client"), .oauthError(400, "invalid_scope"), .status(403)][choice % 3]
        }
        let count = (model.failures[client] ?? 0) + 1
        model.failures[client] = count
        let pause = Duration.seconds(min(1 << min(count - 1, 6), 60)) * 0.75
        let asked = choice < 91 ? Int.random(in: 0...1000, using: &model.random) : 0
        model.notBefore[client] = now + max(pause, .seconds(min(asked, 300))) - .microseconds(1)
        if asked > 0 { return .status(503, retryAfter: "\(asked)") }
        let wrong: [ScriptedTransport.Answer] = [
            .unreachable, .status(500), .status(302), .ok("<html>"), .ok("{}"),
            .ok(#"{"access_token":"a","expires_in":0}"#),
            .ok(#"{"error":"temporarily_unavailable"}"#), .status(429),
        ]
        return isDown ? .unreachable : wrong[choice % wrong.count]
    }

    /// 2 to the power of a number, without the mathematics library: exact enough for a life.
    private static func exp2(_ exponent: Double) -> Double {
        let whole = exponent.rounded(.down)
        return Double(sign: .plus, exponent: Int(whole), significand: 1 + (exponent - whole))
    }
}
