import Testing
import TokenManager

@Suite struct RefreshTests {
    @Test func `A started manager fetches at once and refreshes before the end, without any request`() throws {
        let simulation = Simulation([try .client()])
        try simulation.start()
        simulation.answer(.token("t1"))
        #expect(simulation.observer.events == [.header("a", "Bearer t1"), .fetched("a")])
        simulation.advance(.seconds(69))
        #expect(simulation.transport.exchanges.count == 1)
        simulation.advance(.seconds(11))
        #expect(simulation.transport.open.count == 1)
        #expect(try simulation.status()?.state == .refreshing)
        #expect(simulation.ask().header?.value == "Bearer t1")
        simulation.answer(.token("t2"))
        #expect(simulation.ask().header?.value == "Bearer t2")
        #expect(simulation.observer.header("a")?.value == "Bearer t2")
        #expect(try simulation.status()?.state == .fresh)
        #expect(simulation.transport.exchanges.count == 2)
    }

    @Test func `The status says when the usable token arrived`() throws {
        let simulation = Simulation([try .client()])
        try simulation.start()
        #expect(try simulation.status()?.receivedAt == nil)
        let first = simulation.clock.now
        simulation.answer(.token("t1"))
        simulation.advance(.seconds(80))
        #expect(try simulation.status()?.state == .refreshing)
        #expect(try simulation.status()?.receivedAt == first)
        let second = simulation.clock.now
        simulation.answer(.token("t2"))
        #expect(try simulation.status()?.receivedAt == second)
        simulation.transport.script { _ in .unreachable }
        simulation.advance(.seconds(100))
        #expect(try simulation.status()?.receivedAt == nil)
    }

    @Test func `A manager that was not started refreshes when a caller asks`() throws {
        let simulation = Simulation([try .client()])
        _ = simulation.ask()
        simulation.answer(.token("t1"))
        simulation.advance(.seconds(90))
        #expect(simulation.transport.exchanges.count == 1)
        #expect(simulation.clock.sleeperCount == 0)
        #expect(simulation.ask().header?.value == "Bearer t1")
        #expect(simulation.transport.exchanges.count == 2)
        simulation.advance(.seconds(5))
        let late = simulation.ask()
        #expect(late.value == nil)
        simulation.answer(.token("t2"))
        #expect(late.header?.value == "Bearer t2")
        #expect(simulation.transport.exchanges.count == 2)
    }

    @Test func `At its hard end a token is withdrawn, and callers wait for the fetch that is in flight`() throws {
        let simulation = Simulation([try .client()])
        try simulation.start()
        simulation.answer(.token("t1"))
        simulation.advance(.milliseconds(94_900))
        #expect(simulation.ask().header?.value == "Bearer t1")
        simulation.advance(.milliseconds(100))
        #expect(simulation.observer.header("a") == nil)
        let waiting = simulation.ask()
        #expect(waiting.value == nil)
        #expect(try simulation.status()?.state == .fetching)
        simulation.answer(.token("t2"))
        #expect(waiting.header?.value == "Bearer t2")
        #expect(simulation.transport.exchanges.count == 2)
    }

    @Test func `While the old token is good, a failing refresh is retried with back-off and no caller notices`() throws
    {
        let simulation = Simulation([try .client()])
        simulation.transport.script { exchange in
            let isDown = (1...4).contains(exchange.number)
            return isDown ? .status(503) : .token(exchange.number == 0 ? "t1" : "t2", life: 1000)
        }
        try simulation.start()
        simulation.advance(.seconds(800))
        #expect(try simulation.status()?.state == .fresh)
        #expect(simulation.ask().header?.value.hasPrefix("Bearer t") == true)
        simulation.advance(.seconds(20))
        #expect(simulation.observer.header("a")?.value == "Bearer t2")
        let starts = simulation.transport.exchanges.map(\.startedAt)
        #expect(starts.count == 6)
        for (index, pause) in [1.0, 2, 4, 8].enumerated() {
            let gap = (starts[index + 2] - starts[index + 1]) / .seconds(1)
            #expect(gap >= pause * 0.75 && gap <= pause * 1.25)
        }
        #expect(!simulation.observer.events.contains(.header("a", nil)))
        #expect(try simulation.status()?.lastError == nil)
        #expect(try simulation.status()?.failed == 4)
        #expect(try simulation.status()?.succeeded == 2)
    }

    @Test func `An old token that ends during the back-off does not shorten the back-off`() throws {
        let simulation = Simulation([try .client()])
        simulation.transport.script { $0.number == 0 ? .token("t1") : .status(429, retryAfter: "60") }
        try simulation.start()
        simulation.advance(.seconds(95))
        #expect(simulation.transport.exchanges.count == 2)
        #expect(simulation.observer.header("a") == nil)
        let error = try #require(simulation.ask().error)
        #expect(error.kind == .tokenServerRefused(status: 429, oauthError: nil))
        #expect(error.credential == "a")
        let left = try #require(error.retryAfter)
        #expect(left > .seconds(30) && left <= .seconds(60))
        simulation.advance(left - .milliseconds(1))
        #expect(simulation.transport.exchanges.count == 2)
        simulation.advance(.milliseconds(1))
        #expect(simulation.transport.exchanges.count == 3)
    }

    @Test func `During an outage callers fail at once, and the first after the pause waits for the next fetch`() throws
    {
        let simulation = Simulation([try .client()])
        let first = simulation.ask()
        let second = simulation.ask()
        simulation.answer(.unreachable)
        #expect(first.error?.kind == .tokenServerUnreachable)
        #expect(second.error == first.error)
        #expect(first.error?.message.contains("idp.test:443: connection refused") == true)
        for _ in 0..<10 { #expect(simulation.ask().error?.kind == .tokenServerUnreachable) }
        #expect(simulation.transport.exchanges.count == 1)
        simulation.advance(try #require(first.error?.retryAfter))
        let third = simulation.ask()
        #expect(third.value == nil)
        simulation.answer(.token("t1"))
        #expect(third.header?.value == "Bearer t1")
    }

    @Test func `A definitive refusal is remembered for five seconds, a second one for ten, until a success`()
        throws
    {
        let simulation = Simulation([try .client()])
        simulation.transport.script { _ in .oauthError(401, "invalid_client") }
        try simulation.start()
        let error = try #require(simulation.ask().error)
        #expect(error.kind == .tokenServerRefused(status: 401, oauthError: "invalid_client"))
        #expect(error.retryAfter == .seconds(5))
        simulation.advance(.milliseconds(4999))
        #expect(simulation.transport.exchanges.count == 1)
        simulation.advance(.milliseconds(1))
        #expect(simulation.transport.exchanges.count == 2)
        #expect(simulation.ask().error?.retryAfter == .seconds(10))
        simulation.transport.script { _ in .token("t1") }
        simulation.advance(.seconds(10))
        #expect(simulation.ask().header?.value == "Bearer t1")
        simulation.transport.script { _ in .oauthError(401, "invalid_client") }
        simulation.advance(.seconds(100))
        let first = try #require(simulation.transport.exchanges.dropFirst(3).first?.startedAt)
        let second = try #require(simulation.transport.exchanges.dropFirst(4).first?.startedAt)
        #expect(second - first == .seconds(5))
    }

    @Test(
        "An unusable response is never kept",
        arguments: [
            .ok(""), .ok("<html></html>"), .ok("{}"), .ok(#"{"access_token":"a\r\nb"}"#), .status(302),
            .ok(#"{"access_token":"t","expires_in":-1}"#), .ok(#"{"error":"invalid_client"}"#),
            .ok(#"{"access_token":"t","token_type":"mac"}"#), .status(500), .status(403),
        ] as [ScriptedTransport.Answer])
    func wrongAnswer(answer: ScriptedTransport.Answer) throws {
        let simulation = Simulation([try .client()])
        let caller = simulation.ask()
        simulation.answer(answer)
        #expect(caller.error != nil)
        #expect(simulation.observer.header("a") == nil)
        #expect(try simulation.status()?.isUsable == false)
        simulation.advance(.seconds(10))
        let next = simulation.ask()
        simulation.answer(.token("good"))
        #expect(next.header?.value == "Bearer good")
    }

    @Test func `With a token life of five seconds, each life needs one token request`() throws {
        let simulation = Simulation([try .client()])
        simulation.transport.script { .token("t\($0.number)", life: 5) }
        try simulation.start()
        for _ in 0..<1000 {
            simulation.advance(.milliseconds(100))
            #expect(simulation.ask().header != nil)
        }
        let count = simulation.transport.exchanges.count
        #expect(count >= 28 && count <= 34)
        #expect(!simulation.observer.events.contains(.header("a", nil)))
    }
}
