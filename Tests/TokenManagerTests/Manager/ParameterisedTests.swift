import Testing
import TokenManager

@Suite("A parameterised credential")
struct ParameterisedTests {
    private func simulation(cacheSize: Int = 100) throws -> Simulation {
        let simulation = Simulation([try .client(scope: "read:{host}"), try .client("plain")], cacheSize: cacheSize)
        simulation.transport.script { .token("t\($0.number)", life: 1000) }
        try simulation.start()
        return simulation
    }

    @Test func `has a token for each value, fetched when a caller first asks for it`() throws {
        let simulation = try simulation()
        #expect(simulation.transport.exchanges.count == 1)
        #expect(simulation.ask(host: "a").header?.value == "Bearer t1")
        #expect(simulation.ask(host: "b").header?.value == "Bearer t2")
        #expect(simulation.ask(host: "a").header?.value == "Bearer t1")
        #expect(simulation.transport.bodies.suffix(2).map { $0.contains("scope=read%3Aa") } == [true, false])
        #expect(simulation.observer.valueHeaders.mapValues(\.value) == ["a": "Bearer t1", "b": "Bearer t2"])
    }

    @Test func `accepts a host and the names of fields in any case`() throws {
        let simulation = Simulation([try .client(scope: "{host} {header:X-Tenant}")])
        simulation.transport.script { .token("t\($0.number)", life: 1000) }
        try simulation.start()
        var last = RequestParameters(host: "A.Test")
        last[.field("X-TENANT")] = "North"
        #expect(last[.field("x-Tenant")] == "North")
        var changed = RequestParameters()
        changed.host = "a.TEST"
        changed.fields["X-tenant"] = "North"
        #expect(changed == last)
        for request in [RequestParameters(host: "A.test", fields: ["X-Tenant": "North"]), last, changed] {
            #expect(simulation.ask(request: request).header?.value == "Bearer t0")
        }
        #expect(simulation.transport.bodies.map { $0.contains("scope=a.test%20North") } == [true])
        let twice = RequestParameters(host: "a", fields: ["X-Tenant": "a", "x-tenant": "a"])
        #expect(simulation.ask(request: twice).error?.kind == .invalidParameter)
    }

    @Test func `fetches once for all callers that ask for one value meanwhile`() throws {
        let simulation = try simulation()
        simulation.transport.script(nil)
        let callers = (0..<10).map { _ in simulation.ask(host: "a") }
        #expect(simulation.transport.open.count == 1)
        simulation.answer(.token("x"))
        #expect(callers.allSatisfy { $0.header?.value == "Bearer x" })
    }

    @Test func `says what a request lacks, and asks no server for it`() throws {
        let simulation = try simulation()
        #expect(simulation.ask().error?.kind == .invalidParameter)
        for host in ["a b", "", "a\"b", "\u{e9}"] {
            let error = simulation.ask(host: host).error
            #expect(error?.kind == .invalidParameter)
            #expect(error?.message.contains("the host says which token") == true)
        }
        #expect(simulation.transport.exchanges.count == 1)
        #expect(try simulation.status()?.valueCount == 0)
    }

    @Test func `keeps memory flat under ten thousand values, and an evicted one costs one fetch`() throws {
        let simulation = try simulation(cacheSize: 10)
        for number in 0..<10_000 { #expect(simulation.ask(host: "h\(number)").header != nil) }
        #expect(simulation.transport.exchanges.count == 10_001)
        #expect(try simulation.status()?.valueCount == 9)
        #expect(simulation.observer.valueHeaders.count == 9)
        #expect(simulation.clock.sleeperCount == 10)
        // What is configured stays.
        #expect(simulation.observer.header("plain")?.value == "Bearer t0")
        #expect(simulation.ask(host: "h9999").header?.value == "Bearer t10000")
        #expect(simulation.ask(host: "h0").header?.value == "Bearer t10001")
        #expect(simulation.ask(host: "h0").header?.value == "Bearer t10001")
    }

    @Test func `keeps the values whose copies of tokens are used`() throws {
        let simulation = try simulation(cacheSize: 4)
        for host in ["a", "b", "c"] { _ = simulation.ask(host: host) }
        try simulation.loop.call { [manager = simulation.manager] in
            await manager.used("a", by: [RequestParameters(host: "a"), RequestParameters(host: "gone")])
        }
        _ = simulation.ask(host: "d")
        #expect(Set(simulation.observer.valueHeaders.keys) == ["a", "c", "d"])
    }

    @Test func `keeps its tokens however many other values are refused`() throws {
        let simulation = try simulation(cacheSize: 6)
        let good = (0..<4).map { "good\($0)" }
        for host in good { #expect(simulation.ask(host: host).header != nil) }
        simulation.transport.script { _ in .oauthError(400, "invalid_scope") }
        for number in 0..<50 { #expect(simulation.ask(host: "bad\(number)").error != nil) }
        // The newest refusal is remembered as long as there is room.
        #expect(simulation.ask(host: "bad49").error != nil)
        #expect(simulation.transport.exchanges.count == 55)
        for (index, host) in good.enumerated() {
            #expect(simulation.ask(host: host).header?.value == "Bearer t\(index + 1)")
        }
        #expect(simulation.transport.exchanges.count == 55)
        // A token takes the place of a refusal.
        simulation.transport.script { .token("t\($0.number)", life: 1000) }
        #expect(simulation.ask(host: "new").header != nil)
        #expect(try simulation.status()?.valueCount == 5)
    }

    @Test func `renews a value's token while callers ask, and drops it when none does`() throws {
        let simulation = try simulation()
        let first = try #require(simulation.ask(host: "a").header)
        _ = simulation.ask(host: "b")
        #expect(first.askAgainAt < first.usableUntil)
        simulation.advance(.seconds(810))
        #expect(simulation.ask(host: "a").header?.value == "Bearer t1")
        #expect(simulation.ask(host: "a").header?.value == "Bearer t4")
        simulation.advance(.seconds(300))
        #expect(simulation.observer.valueHeaders.mapValues(\.value) == ["a": "Bearer t4"])
        #expect(try simulation.status()?.valueCount == 1)
        simulation.advance(.seconds(2000))
        #expect(simulation.observer.valueHeaders.isEmpty)
        #expect(try simulation.status()?.valueCount == 0)
    }

    @Test func `remembers the refusal of a value for a while, which does not affect the others`() throws {
        let simulation = try simulation()
        simulation.transport.script { _ in .oauthError(400, "invalid_scope") }
        #expect(simulation.ask(host: "bad").error != nil)
        #expect(simulation.ask(host: "bad").error?.retryAfter == .seconds(5))
        #expect(simulation.transport.exchanges.count == 2)
        let status = try #require(try simulation.status())
        #expect(status.isReady)
        #expect(status.state == .empty)
        #expect(status.valueCount == 0)
        #expect(status.failed == 1)
        #expect(status.lastError == nil)
        #expect(!simulation.observer.events.contains { if case .failed = $0 { true } else { false } })
        simulation.advance(.seconds(400))
        #expect(try simulation.status()?.valueCount == 0)
    }

    @Test(
        arguments: [
            (.oauthError(401, "invalid_client"), true), (.oauthError(400, "unauthorized_client"), true),
            (.oauthError(400, "invalid_grant"), true), (.status(401), true), (.status(404), true), (.status(400), true),
            (.oauthError(429, "slow_down"), true), (.status(503), true), (.oauthError(503, "invalid_scope"), true),
            (.unreachable, true), (.ok("{}"), true), (.oauthError(400, "invalid_dpop_proof"), true),
            (.oauthError(400, "invalid_scope"), false), (.oauthError(400, "invalid_target"), false),
            (.oauthError(400, "invalid_request"), false), (.oauthError(403, "access_denied"), false),
            (.status(403), false), (.oauthError(400, "unknown_tenant"), false),
        ] as [(ScriptedTransport.Answer, Bool)])
    func `reports errors that its owner can fix as its own, and others as the request's`(
        _ answer: ScriptedTransport.Answer, _ isOfCredential: Bool
    ) throws {
        let simulation = try simulation()
        simulation.transport.script { _ in answer }
        let error = try #require(simulation.ask(host: "bad").error)
        let status = try #require(try simulation.status())
        #expect(status.failed == 1)
        #expect((status.lastError != nil) == isOfCredential)
        #expect(simulation.observer.events.contains(.failed("a", error.kind)) == isOfCredential)
        // A value that is refused does not hide what was wrong before.
        simulation.transport.script { _ in .oauthError(400, "invalid_scope") }
        _ = simulation.ask(host: "worse")
        #expect((try simulation.status()?.lastError != nil) == isOfCredential)
    }

    @Test func `replaces the refused token of one value only`() throws {
        let simulation = try simulation()
        _ = simulation.ask(host: "a")
        _ = simulation.ask(host: "b")
        let other = simulation.replace("Bearer t1", request: RequestParameters(host: "a"))
        #expect(other.header??.value == "Bearer t3")
        #expect(simulation.observer.valueHeaders.mapValues(\.value) == ["a": "Bearer t3", "b": "Bearer t2"])
    }

    @Test func `uses a new secret for every value, and serves the old tokens until then`() throws {
        let simulation = Simulation([try .client(secret: .file(path: "/s"), scope: "{host}")])
        simulation.secrets.setFile("/s", "one")
        simulation.transport.script { .token("t\($0.number)", life: 1000) }
        try simulation.start()
        for host in ["a", "b"] { _ = simulation.ask(host: host) }
        simulation.secrets.setFile("/s", "two")
        simulation.advance(.seconds(1))
        let copy = try #require(simulation.observer.valueHeaders["a"])
        #expect(copy.value == "Bearer t0")
        #expect(copy.askAgainAt <= simulation.clock.now)
        #expect(simulation.ask(host: "a").header?.value == "Bearer t0")
        #expect(simulation.ask(host: "a").header?.value == "Bearer t2")
        #expect(simulation.transport.exchanges.count == 3)
    }

    @Test func `is ready before a caller asks, unless its secret is unreadable`() throws {
        let simulation = Simulation([try .client(secret: .file(path: "/s"), scope: "{host}")])
        try simulation.start()
        #expect(try simulation.status()?.isReady == false)
        #expect(simulation.ask(host: "a").error?.kind == .secretUnreadable)
        simulation.secrets.setFile("/s", "one")
        simulation.advance(.seconds(1))
        #expect(try simulation.status()?.isReady == true)
        #expect(try simulation.status()?.state == .empty)
    }
}

extension Simulation {
    /// Asks for a header as a request to a host does.
    func ask(_ name: String = "a", host: String) -> Outcome<Answered> {
        ask(name, request: RequestParameters(host: host))
    }
}

extension ScriptedTransport {
    /// What was sent, oldest first.
    var bodies: [String] { exchanges.map { String(decoding: $0.request.body, as: UTF8.self) } }
}
