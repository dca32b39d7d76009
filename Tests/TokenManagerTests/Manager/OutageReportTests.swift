import Testing
import TokenManager

@Suite("An observer's reports of an outage")
struct OutageReportTests {
    @Test func `Each failure states the next attempt, and how long the old token serves`() throws {
        let simulation = Simulation([try .client()])
        simulation.transport.script { $0.number == 0 ? .token("t0") : .status(503, retryAfter: "7") }
        try simulation.start()
        simulation.advance(.seconds(89))
        let first = try #require(simulation.observer.failures.first)
        #expect(first.error.credential == "a")
        #expect(first.error.retryAfter == .seconds(7))
        let left = try #require(first.servesFor)
        #expect(left > .seconds(14) && left < .seconds(26))
        simulation.advance(.seconds(60))
        let last = try #require(simulation.observer.failures.last)
        #expect(last.servesFor == nil)
        #expect(try #require(last.error.retryAfter) >= .seconds(7))
        #expect(try simulation.status()?.lastError?.retryAfter == nil)
    }

    @Test func `The success that ends it reports how long it lasted and how many attempts it took`() throws {
        let simulation = Simulation([try .client()])
        simulation.transport.script { $0.number < 3 ? .status(503, retryAfter: "6") : .token("t") }
        try simulation.start()
        simulation.advance(.seconds(19))
        #expect(simulation.observer.recoveries == [FetchedToken.Recovery(duration: .seconds(18), attempts: 4)])
        simulation.advance(.seconds(100))
        #expect(simulation.observer.recoveries.count == 1)
    }

    @Test func `All values of a credential share one, and a value's own failure causes none`() throws {
        let simulation = Simulation([try .client(scope: "{host}")])
        simulation.transport.script { $0.number == 0 ? .oauthError(400, "invalid_scope") : .token("t") }
        _ = simulation.ask(host: "bad")
        #expect(simulation.ask(host: "a").header != nil)
        #expect(simulation.observer.recoveries == [])
        simulation.transport.script { $0.number == 2 ? .status(503, retryAfter: "5") : .token("t") }
        _ = simulation.ask(host: "b")
        simulation.advance(.seconds(7))
        #expect(simulation.ask(host: "c").header != nil)
        #expect(simulation.observer.recoveries == [FetchedToken.Recovery(duration: .seconds(7), attempts: 2)])
    }
}
