import Testing
import TokenManager

@Suite("Fetches of request-dependent tokens in flight")
struct ValueFetchTests {
    private func simulation(cacheSize: Int = 4) throws -> Simulation {
        let simulation = Simulation(
            [try .client(scope: "read:{host}"), try .client("b", scope: "{host}"), try .client("plain")],
            cacheSize: cacheSize)
        simulation.transport.script { $0.number < 1 ? .token("plain", life: 10_000) : nil }
        try simulation.start()
        return simulation
    }

    @Test func `are at most as many as tokens are kept, and further callers get an error at once`() throws {
        let simulation = try simulation()
        var callers = (0..<4).map { simulation.ask(host: "h\($0)") }
        for name in ["a", "b"] {
            for number in 0..<1000 {
                let error = try #require(simulation.ask(name, host: "more\(number)").error)
                #expect(error.kind == .tooManyFetches)
                #expect(error.credential == name)
                #expect(error.retryAfter == .seconds(1))
            }
        }
        #expect(simulation.transport.open.count == 4)
        #expect(try simulation.status()?.valueCount == 0)
        #expect(try simulation.status("b")?.valueCount == 0)
        #expect(try simulation.status()?.lastError == nil)
        // A value whose token is on its way has nothing to wait for but that.
        callers.append(simulation.ask(host: "h0"))
        simulation.answer(.token("t0"))
        #expect(callers[0].header?.value == "Bearer t0" && callers[4].header?.value == "Bearer t0")
        let next = simulation.ask("b", host: "more0")
        #expect(simulation.transport.open.count == 4)
        for number in 1...4 { simulation.answer(.token("t\(number)")) }
        #expect(next.header?.value == "Bearer t4")
        #expect(simulation.ask(host: "h3").header?.value == "Bearer t3")
    }

    @Test func `do not become fewer when callers leave`() throws {
        let simulation = try simulation()
        for number in 0..<100 {
            simulation.ask(host: "h\(number)").cancel()
            simulation.loop.run()
        }
        #expect(simulation.transport.open.count == 4)
        #expect(try simulation.status()?.valueCount == 0)
    }

    @Test func `delay no caller that has a token, or one for all requests`() throws {
        let simulation = try simulation()
        for host in ["a", "b", "c"] {
            _ = simulation.ask(host: host)
            simulation.answer(.token(host, life: 10_000))
        }
        for number in 0..<10 { _ = simulation.ask(host: "h\(number)") }
        #expect(simulation.transport.open.count == 4)
        // What waits for the end of its fetch drives out no token.
        for host in ["a", "b", "c"] { #expect(simulation.ask(host: host).header?.value == "Bearer \(host)") }
        #expect(simulation.ask("plain").header?.value == "Bearer plain")
        simulation.transport.script { .token("t\($0.number)", life: 10_000) }
        #expect(simulation.replace("Bearer plain", for: "plain").header??.value.hasPrefix("Bearer t") == true)
        // Once they have failed there is room again, and no more is kept than the cache holds.
        for _ in 0..<4 { simulation.answer(.unreachable) }
        simulation.advance(.seconds(2))
        #expect(simulation.ask(host: "new").header != nil)
        #expect(simulation.observer.valueHeaders.count <= 3)
    }
}
