import Support
import Testing
import TokenManager

/// Random callers, cancellations, answers, refusals by backends and changes of secrets over simulated time, against what must always hold.
@Suite struct ManagerWalkTests {
    @Test("Whatever happens in whatever order, the guarantees hold", arguments: 1...12)
    func walk(seed: UInt64) throws {
        var walk = try Walk(seed: seed)
        try walk.simulation.start()
        walk.check()
        for _ in 0..<1000 {
            walk.step()
            walk.check()
        }
        try walk.finish()
    }

    private struct Walk: ~Copyable {
        let simulation: Simulation
        private var random: SeededGenerator
        private let names = ["a", "b", "c", "d"]
        private var callers: [(name: String, outcome: Outcome<Simulation.Answered>)] = []
        /// The last header of each credential, be it refused.
        private var lastHeaders: [String: AuthorizationHeader] = [:]
        /// What the server issued, with the hard end that follows from it.
        private var ends: [String: ContinuousClock.Instant] = [:]
        /// For each kind of request, how often it failed in a row and until when it must not be repeated.
        private var failures: [String: Int] = [:]
        private var refusals: [String: Int] = [:]
        private var notBefore: [String: ContinuousClock.Instant] = [:]
        private var seenExchanges = 0
        private var served = 0
        private var changes = 0
        private var forced = 0
        private var changedAt: ContinuousClock.Instant

        init(seed: UInt64) throws {
            // "a" and "b" share a key, "c" has a secret that changes, "d" a server of its own.
            simulation = Simulation(
                [
                    try .client("a"), try .client("b"), try .client("c", secret: .file(path: "/c"), scope: "c"),
                    try .client("d", host: "other.test"),
                ], seed: seed)
            simulation.secrets.setFile("/c", "secret0")
            random = SeededGenerator(seed: seed &+ 1000)
            changedAt = simulation.clock.now
        }

        mutating func step() {
            switch Int.random(in: 0..<17, using: &random) {
            case 0...4:
                let name = names.randomElement(using: &random) ?? "a"
                callers.append((name, simulation.ask(name)))
            case 5: callers.randomElement(using: &random)?.outcome.cancel()
            case 6...9: answer()
            case 10...12: advance(Double.random(in: 0...2, using: &random))
            case 13: advance(Double.random(in: 0...30, using: &random))
            case 14: advance(Double.random(in: 0...200, using: &random))
            case 15: refuse()
            default: changeSecret()
            }
            simulation.loop.run()
        }

        /// What must hold after every step.
        mutating func check() {
            let exchanges = simulation.transport.exchanges
            for exchange in exchanges[seenExchanges...] {
                let key = Self.key(exchange)
                if let instant = notBefore[key] {
                    #expect(exchange.startedAt >= instant, "the back-off was beaten")
                }
                #expect(exchange.wasOnLoop)
            }
            seenExchanges = exchanges.count
            let open = simulation.transport.open.map(Self.key)
            #expect(Set(open).count == open.count, "two fetches are in flight for one key")
            for name in names {
                if let header = simulation.observer.header(name) { checkUsable(header) }
            }
            for caller in callers {
                if let header = caller.outcome.header {
                    checkUsable(header)
                    served += 1
                } else if let error = caller.outcome.error {
                    checkMissing(caller.name, error)
                }
            }
            callers.removeAll { $0.outcome.value != nil }
            for name in names { simulation.observer.header(name).map { lastHeaders[name] = $0 } }
        }

        mutating func finish() throws {
            try simulation.stop()
            check()
            #expect(callers.isEmpty, "somebody was never answered")
            #expect(simulation.transport.open.isEmpty)
            #expect(simulation.clock.sleeperCount == 0)
            #expect(served > 50)
            #expect(forced > 5)
            // Three keys, each at most every 0.7 s, and one more for each change of a secret and each refusal that counts.
            let most = 3 * (simulation.clock.elapsed / .seconds(0.7) + 1) + Double(changes + forced)
            #expect(Double(simulation.transport.exchanges.count) <= most)
        }

        private func checkUsable(_ header: AuthorizationHeader) {
            guard let end = ends[header.value] else {
                Issue.record("a token was served that the server never issued")
                return
            }
            #expect(simulation.clock.now < end, "a token was served after its hard end")
            #expect(header.usableUntil <= end + .microseconds(1))
        }

        /// A caller got an error: there is nothing to send, not even what a backend refused.
        private func checkMissing(_ name: String, _ error: TokenError) {
            // A secret that comes back while its own fetch runs takes the other secret's token away.
            guard name != "c", error.kind != .cancelled, error.kind != .stopped, let last = lastHeaders[name]
            else { return }
            #expect(simulation.clock.now >= last.usableUntil, "a caller failed although there was a token: \(error)")
        }

        private mutating func refuse() {
            guard let name = names.randomElement(using: &random), let header = simulation.observer.header(name)
            else { return }
            let known = simulation.transport.exchanges.count
            _ = simulation.loop.spawn { [manager = simulation.manager] in
                await manager.refused(header.generation, for: name)
            }
            simulation.loop.run()
            forced += simulation.transport.exchanges.count - known
        }

        private mutating func advance(_ seconds: Double) {
            // In small steps, so that what is true only in between is checked too.
            let steps = Int.random(in: 1...4, using: &random)
            for _ in 0..<steps {
                simulation.advance(.seconds(seconds / Double(steps)))
                check()
            }
        }

        private mutating func changeSecret() {
            changes += 1
            changedAt = simulation.clock.now
            // A change of the secret ends what is remembered of the one before it.
            for key in notBefore.keys where key.contains("scope=c") {
                notBefore[key] = nil
                failures[key] = nil
                refusals[key] = nil
            }
            // Sometimes an old secret comes back, sometimes the file is missing.
            let number = Int.random(in: 0..<5, using: &random)
            simulation.secrets.setFile("/c", number == 0 ? nil : "secret\(number)")
        }

        private mutating func answer() {
            guard let exchange = simulation.transport.open.randomElement(using: &random) else { return }
            let key = Self.key(exchange)
            let now = simulation.clock.now
            switch Int.random(in: 0..<10, using: &random) {
            case 0...5:
                let life = Int.random(in: 1...400, using: &random)
                let token = "t\(exchange.number)"
                let end = now + .seconds(life) - min(.seconds(10), .seconds(Double(life) * 0.05))
                ends["Bearer \(token)"] = end + .microseconds(1)
                failures[key] = nil
                refusals[key] = nil
                notBefore[key] = nil
                simulation.transport.answer(exchange.number, .token(token, life: life))
            case 6:
                fail(key, pause: refused(key))
                simulation.transport.answer(exchange.number, .oauthError(401, "invalid_client"))
            case 7:
                let asked = Int.random(in: 0...400, using: &random)
                fail(key, pause: max(repeated(key), Double(min(asked, 300))))
                simulation.transport.answer(exchange.number, .status(503, retryAfter: "\(asked)"))
            default:
                fail(key, pause: repeated(key))
                let answers = [
                    ScriptedTransport.Answer.unreachable, .status(200, "<html>"), .status(500), .status(302),
                ]
                simulation.transport.answer(exchange.number, answers.randomElement(using: &random) ?? .unreachable)
            }
        }

        /// The shortest pause after one more failure that is worth repeating.
        private mutating func repeated(_ key: String) -> Double {
            let count = (failures[key] ?? 0) + 1
            failures[key] = count
            return min(Double(1 << min(count - 1, 6)), 60) * 0.75
        }

        /// The pause after one more refusal of the client itself.
        private mutating func refused(_ key: String) -> Double {
            let count = (refusals[key] ?? 0) + 1
            refusals[key] = count
            return min(5 * Double(1 << min(count - 1, 6)), 300)
        }

        private mutating func fail(_ key: String, pause: Double) {
            // Until a changed secret is noticed it is unknown whether anybody will remember this failure.
            if key.contains("scope=c"), simulation.clock.now <= changedAt + .seconds(1) {
                failures[key] = nil
                refusals[key] = nil
                return
            }
            notBefore[key] = simulation.clock.now + .seconds(pause) - .microseconds(1)
        }

        /// Tells kinds of request apart as a server sees them.
        private static func key(_ exchange: ScriptedTransport.Exchange) -> String {
            let fields = exchange.request.fields.map { "\($0.name):\($0.value)" }.joined()
            return "\(exchange.request.url) \(fields) \(String(decoding: exchange.request.body, as: UTF8.self))"
        }
    }
}
