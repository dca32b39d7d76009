import Testing
import TokenManager

@Suite struct WaiterTests {
    @Test func `A cancelled caller is answered at once and cancels nothing`() throws {
        let simulation = Simulation([try .client()])
        let first = simulation.ask()
        let second = simulation.ask()
        first.cancel()
        simulation.loop.run()
        #expect(first.error?.kind == .cancelled)
        #expect(second.value == nil)
        #expect(simulation.transport.open.count == 1)
        simulation.answer(.token("t1"))
        #expect(second.header?.value == "Bearer t1")
        #expect(simulation.ask().header?.value == "Bearer t1")
        #expect(simulation.transport.exchanges.count == 1)
    }

    @Test func `The fetch continues when all waiting callers are gone`() throws {
        let simulation = Simulation([try .client()])
        let callers = (0..<3).map { _ in simulation.ask() }
        for caller in callers { caller.cancel() }
        simulation.loop.run()
        #expect(callers.allSatisfy { $0.error?.kind == .cancelled })
        simulation.answer(.token("t1"))
        #expect(simulation.ask().header?.value == "Bearer t1")
        #expect(simulation.transport.exchanges.count == 1)
    }

    @Test func `A cancellation at the same moment as the answer gives one answer`() throws {
        let simulation = Simulation([try .client()])
        let caller = simulation.ask()
        simulation.transport.answer(0, .token("t1"))
        caller.cancel()
        simulation.loop.run()
        #expect(caller.error?.kind == .cancelled)
        let other = Simulation([try .client()])
        let answered = other.ask()
        other.answer(.token("t1"))
        answered.cancel()
        other.loop.run()
        #expect(answered.header?.value == "Bearer t1")
    }

    @Test func `A caller that is already cancelled is still served from the cache`() throws {
        let simulation = Simulation([try .client()])
        _ = simulation.ask()
        simulation.answer(.token("t1"))
        let manager = simulation.manager
        let caller = simulation.loop.spawn { try? await manager.authorizationHeader(for: "a") }
        caller.cancel()
        simulation.loop.run()
        #expect(caller.value??.value == "Bearer t1")
    }

    @Test func `Stopping answers every caller, ends the fetch and leaves no timer`() throws {
        let simulation = Simulation([
            try .client(), try .client("b", secret: .file(path: "/b")), try .client("c", scope: "c"),
        ])
        simulation.secrets.setFile("/b", "sb")
        try simulation.start()
        simulation.answer(.token("t1"))
        let caller = simulation.ask("b")
        try simulation.stop()
        #expect(caller.error?.kind == .stopped)
        #expect(caller.error?.credential == "b")
        #expect(simulation.ask().error?.kind == .stopped)
        #expect(simulation.transport.open.isEmpty)
        #expect(simulation.clock.sleeperCount == 0)
        simulation.advance(.seconds(10_000))
        #expect(simulation.transport.exchanges.count == 3)
        try simulation.start()
        #expect(simulation.transport.exchanges.count == 3)
    }

    @Test func `An answer that waits for longer than the token lives is not given to a caller`() throws {
        let simulation = Simulation([try .client()])
        let caller = simulation.ask()
        let clock = simulation.clock
        // The fetch ends and the clock jumps before the caller's task gets its turn.
        simulation.transport.script { exchange in
            if exchange.number == 0 { return nil }
            return .token("t2", life: 1000)
        }
        simulation.transport.answer(0, .token("t1", life: 1))
        simulation.observer.whenFetched { _ = clock.step(to: clock.now + .seconds(2)) }
        simulation.loop.run()
        #expect(caller.header?.value == "Bearer t2")
    }

    @Test func `An unknown name is an error that says so`() throws {
        let simulation = Simulation([try .client()])
        #expect(simulation.ask("x").error?.kind == .unknownCredential)
        #expect(simulation.ask("x").error?.credential == "x")
    }

    @Test func `On the default executor, a hundred simultaneous callers share one fetch`() async throws {
        let transport = CountingTransport()
        let manager = TokenManager(credentials: [try .client()], transport: transport, clock: ManualClock())
        let values = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask { try await manager.authorizationHeader(for: "a").value }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(values == ["Bearer t1"])
        #expect(await transport.count == 1)
    }
}

/// Answers at once and counts.
private actor CountingTransport: TokenTransport {
    private(set) var count = 0

    func exchange(_ request: TokenRequest) async throws(TokenTransportError) -> TokenResponse {
        count += 1
        await Task.yield()
        return TokenResponse(status: 200, body: Array(#"{"access_token":"t\#(count)"}"#.utf8))
    }
}
