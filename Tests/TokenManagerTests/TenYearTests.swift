import Support
import Testing
import TokenManager

/// Ten years of token lives with faults and with backends that refuse good tokens, seen from the server's side and from the callers'.
@Suite struct TenYearTests {
    @Test("The guarantees hold for ten years")
    func tenYears() throws {
        let seed: UInt64 = 1
        // "a" and "b" share a token, "c" has a server of its own.
        let simulation = Simulation(
            [try .client("a"), try .client("b"), try .client("c", host: "other.test")], seed: seed)
        let server = FaultyServer(clock: simulation.clock, seed: seed &+ 7)
        simulation.transport.script { server.answer($0) }
        var random = SeededGenerator(seed: seed &+ 99)
        var waiting: [Outcome<Simulation.Answered>] = []
        var served = 0
        var refused = 0
        var forced = 0
        try simulation.start()
        while simulation.clock.elapsed < .seconds(10 * 365 * 86_400) {
            for exchange in simulation.transport.open where Bool.random(using: &random) {
                simulation.transport.answer(exchange.number, server.lateAnswer(exchange))
                simulation.loop.run()
            }
            if Int.random(in: 0..<400, using: &random) == 0 {
                let hours = Int.random(in: 1...6, using: &random)
                server.goDown(until: simulation.clock.now + .seconds(hours * 3600))
            }
            waiting.append(simulation.ask(["a", "b", "c"].randomElement(using: &random) ?? "a"))
            if Int.random(in: 0..<8, using: &random) == 0,
                let name = ["a", "b", "c"].randomElement(using: &random), let header = simulation.observer.header(name)
            {
                let known = server.requests
                _ = simulation.loop.spawn { [manager = simulation.manager] in
                    await manager.refused(header.generation, for: name)
                }
                simulation.loop.run()
                forced += server.requests - known
            }
            if Int.random(in: 0..<20, using: &random) == 0 { waiting.randomElement(using: &random)?.cancel() }
            simulation.loop.run()
            let now = simulation.clock.now
            for answer in waiting.compactMap(\.value) {
                switch answer {
                case .success(let header):
                    served += 1
                    #expect(server.isUsable(header, at: now), "a token was served that had ended or was never issued")
                case .failure: refused += 1
                }
            }
            waiting.removeAll { $0.value != nil }
            for name in ["a", "b", "c"] {
                guard let header = simulation.observer.header(name) else { continue }
                #expect(server.isUsable(header, at: now), "a copy was kept of a token that had ended")
            }
            // Often a moment, sometimes a day.
            let seconds = Double.random(in: 0...1, using: &random)
            simulation.advance(.seconds(1 + seconds * seconds * seconds * 86_400))
        }
        try simulation.stop()
        for answer in waiting { #expect(answer.value != nil, "somebody was never answered") }
        #expect(server.violations == [])
        #expect(server.requests > 30_000, "\(server.requests) requests")
        #expect(server.faults > 2000)
        #expect(served > 10_000 && refused > 100 && forced > 1000, "\(forced) forced")
        #expect(simulation.clock.sleeperCount == 0)
    }
}
