import Testing
import TokenManager

@Suite struct FirstTokenTests {
    @Test func `A caller gets the header after the one fetch, and the next caller gets it at once`() throws {
        let simulation = Simulation([try .client()])
        let first = simulation.ask()
        let second = simulation.ask()
        #expect(first.value == nil)
        #expect(simulation.transport.exchanges.count == 1)
        simulation.answer(.token("t1"))
        let header = try #require(first.header)
        #expect(header.name == "Authorization")
        #expect(header.value == "Bearer t1")
        #expect(header.usableUntil == simulation.clock.now + .seconds(95))
        #expect(second.header == header)
        #expect(simulation.ask().header == header)
        #expect(simulation.transport.exchanges.count == 1)
    }

    @Test func `All work stays on the given executor`() throws {
        let simulation = Simulation([try .client()])
        try simulation.start()
        simulation.answer(.token("t1"))
        simulation.advance(.seconds(1000))
        while let open = simulation.transport.open.first {
            simulation.transport.answer(open.number, .token("t2", life: 10_000))
            simulation.loop.run()
        }
        #expect(simulation.transport.exchanges.count == 2)
        #expect(!simulation.transport.exchanges.contains { !$0.wasOnLoop })
    }
}
