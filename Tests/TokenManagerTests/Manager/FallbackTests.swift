import Testing
import TokenManager

@Suite("A refused token without a successor")
struct FallbackTests {
    private func started(_ credentials: [CredentialConfiguration]? = nil) throws -> Simulation {
        let simulation = Simulation(try credentials ?? [.client()])
        try simulation.start()
        simulation.answer(.token("t1"))
        return simulation
    }

    @Test(
        "is served again to all who wait, whatever the failure",
        arguments: [.status(503), .unreachable, .ok("<html>"), .oauthError(401, "invalid_client")]
            as [ScriptedTransport.Answer])
    func servedAgain(answer: ScriptedTransport.Answer) throws {
        let simulation = try started()
        let replacement = simulation.replace("Bearer t1")
        let other = simulation.ask()
        #expect(other.value == nil)
        simulation.answer(answer)
        #expect(replacement.header == .some(nil))
        #expect(other.header?.value == "Bearer t1")
        #expect(simulation.ask().header?.value == "Bearer t1")
        let kind = try #require(try simulation.status()?.lastError?.kind)
        let heard = simulation.observer.events.suffix(3)
        #expect(heard == [.header("a", nil), .header("a", "Bearer t1"), .failed("a", kind)])
    }

    @Test func `is replaced by a new fetch after each pause, until there is a successor`() throws {
        let simulation = try started()
        _ = simulation.replace("Bearer t1")
        for _ in 0..<3 {
            simulation.answer(.status(503))
            simulation.advance(.seconds(6))
        }
        simulation.answer(.token("t2"))
        #expect(simulation.observer.header("a")?.value == "Bearer t2")
        #expect(try simulation.status()?.lastError == nil)
        let starts = simulation.transport.exchanges.dropFirst().map {
            ($0.startedAt - simulation.clock.start) / .seconds(1)
        }
        // The answers came at 0, 6 and 12 s, the pauses are 1, 2 and 4 s, give or take a quarter.
        #expect(starts.count == 4)
        for (start, expected) in zip(starts, [0...0, 0.75...1.25, 7.5...8.5, 15...17]) {
            #expect(expected.contains(start))
        }
    }

    @Test func `is not served after its hard end, however late the failure is`() throws {
        let simulation = try started()
        _ = simulation.replace("Bearer t1")
        let waiting = simulation.ask()
        simulation.advance(.seconds(95))
        simulation.answer(.unreachable)
        #expect(waiting.error?.kind == .tokenServerUnreachable)
        #expect(simulation.observer.header("a") == nil)
        #expect(try simulation.status()?.state == .failed)
    }

    @Test func `is withdrawn at its hard end`() throws {
        let simulation = try started()
        simulation.transport.script { _ in .status(503, retryAfter: "300") }
        _ = simulation.replace("Bearer t1")
        simulation.advance(.milliseconds(94_999))
        #expect(simulation.ask().header?.value == "Bearer t1")
        simulation.advance(.milliseconds(1))
        #expect(simulation.observer.header("a") == nil)
        #expect(simulation.ask().error != nil)
        #expect(simulation.transport.exchanges.count == 2)
    }

    @Test func `does not shorten a back-off when it is refused again and again, and no caller gets an error`() throws {
        let simulation = try started()
        simulation.transport.script { _ in .unreachable }
        for _ in 0..<90 {
            #expect(simulation.replace("Bearer t1").header == .some(nil))
            #expect(simulation.ask().header?.value == "Bearer t1")
            simulation.advance(.seconds(1))
        }
        // After 1, 2, 4, 8, 16 and 32 s, each shorter by a quarter at most.
        #expect(simulation.transport.exchanges.count <= 9)
    }

    @Test func `counts as no token while requests wait for its successor`() throws {
        let simulation = try started()
        _ = simulation.replace("Bearer t1")
        let waiting = try #require(try simulation.status())
        #expect(waiting.state == .fetching && !waiting.isReady && waiting.expiresAt == nil)
        simulation.answer(.status(503))
        let served = try #require(try simulation.status())
        #expect(served.state == .fresh && served.isReady)
        #expect(served.expiresAt == simulation.clock.start + .seconds(95))
        let pause = try #require(served.refreshAt) - simulation.clock.now
        #expect(pause >= .seconds(0.75) && pause <= .seconds(1.25))
        #expect(served.lastError != nil && served.failed == 1 && served.succeeded == 1)
    }

    @Test func `is served again by a manager that was not started`() throws {
        let simulation = Simulation([try .client()])
        _ = simulation.ask()
        simulation.answer(.token("t1"))
        let replacement = simulation.replace("Bearer t1")
        simulation.answer(.unreachable)
        #expect(replacement.header == .some(nil))
        #expect(simulation.ask().header?.value == "Bearer t1")
        simulation.advance(.seconds(2))
        #expect(simulation.ask().header?.value == "Bearer t1")
        #expect(simulation.transport.open.count == 1)
    }

    @Test func `is not served by a manager that is stopped meanwhile`() throws {
        let simulation = try started()
        let replacement = simulation.replace("Bearer t1")
        try simulation.stop()
        #expect(replacement.error?.kind == .stopped)
        #expect(simulation.observer.header("a") == nil)
    }

    @Test func `is served again for every credential that shares it`() throws {
        let simulation = try started([.client("a"), .client("b")])
        _ = simulation.replace("Bearer t1", for: "b")
        let waiting = simulation.ask("a")
        #expect(simulation.observer.header("a") == nil && simulation.observer.header("b") == nil)
        simulation.answer(.unreachable)
        #expect(waiting.header?.value == "Bearer t1")
        #expect(simulation.observer.header("a")?.value == "Bearer t1")
        #expect(simulation.observer.header("b")?.value == "Bearer t1")
    }

    @Test func `is served again for its value of a parameterised credential, whose users ask after the pause`() throws {
        let simulation = Simulation([try .client(scope: "read:{host}")])
        try simulation.start()
        for host in ["x", "y"] {
            _ = simulation.ask(request: RequestParameters(host: host))
            simulation.answer(.token("t-\(host)"))
        }
        let request = RequestParameters(host: "x")
        _ = simulation.replace("Bearer t-x", request: request)
        let waiting = simulation.ask(request: request)
        #expect(simulation.observer.valueHeaders.mapValues(\.value) == ["y": "Bearer t-y"])
        simulation.answer(.unreachable)
        #expect(waiting.header?.value == "Bearer t-x")
        let header = try #require(simulation.observer.valueHeaders["x"])
        #expect(header.value == "Bearer t-x")
        let pause = header.askAgainAt - simulation.clock.now
        #expect(pause >= .seconds(0.75) && pause <= .seconds(1.25))
        simulation.advance(.seconds(2))
        #expect(simulation.ask(request: request).header?.value == "Bearer t-x")
        simulation.answer(.token("t-new"))
        #expect(simulation.ask(request: request).header?.value == "Bearer t-new")
        simulation.advance(.seconds(100))
        #expect(simulation.observer.valueHeaders.isEmpty)
    }

    @Test func `is the fallback for a new secret too, but only until its end`() throws {
        let simulation = Simulation([try .client(secret: .file(path: "/s"))])
        simulation.secrets.setFile("/s", "one")
        try simulation.start()
        simulation.answer(.token("t1"))
        let replacement = simulation.replace("Bearer t1")
        simulation.secrets.setFile("/s", "two")
        simulation.advance(.seconds(1))
        #expect(simulation.transport.open.count == 2)
        let waiting = simulation.ask()
        // The old secret's fetch is of no interest to the new one's, nor to those who waited for it.
        simulation.answer(.oauthError(401, "invalid_client"))
        #expect(replacement.value == nil && waiting.value == nil && simulation.observer.header("a") == nil)
        simulation.answer(.unreachable)
        #expect(replacement.header == .some(nil))
        #expect(waiting.header?.value == "Bearer t1")
        #expect(simulation.observer.header("a")?.value == "Bearer t1")
        simulation.transport.script { _ in .unreachable }
        simulation.advance(.seconds(93))
        #expect(simulation.ask().header?.value == "Bearer t1")
        simulation.advance(.seconds(1))
        #expect(simulation.ask().error?.kind == .tokenServerUnreachable)
        #expect(simulation.observer.header("a") == nil)
    }

    @Test func `is replaced by the new secret's token`() throws {
        let simulation = Simulation([try .client(secret: .file(path: "/s"))])
        simulation.secrets.setFile("/s", "one")
        try simulation.start()
        simulation.answer(.token("t1"))
        _ = simulation.replace("Bearer t1")
        simulation.secrets.setFile("/s", "two")
        simulation.advance(.seconds(1))
        let newest = try #require(simulation.transport.open.last)
        simulation.transport.answer(newest.number, .token("t2"))
        simulation.loop.run()
        simulation.answer(.unreachable)
        #expect(simulation.observer.header("a")?.value == "Bearer t2")
        #expect(simulation.ask().header?.value == "Bearer t2")
    }
}
