import Testing
import TokenManager

@Suite("A fetch that an operator asks for")
struct RequestedRefreshTests {
    private func refresh(_ simulation: Simulation, _ name: String = "a") -> Outcome<TokenManager.RefreshOutcome> {
        let outcome = simulation.loop.spawn { [manager = simulation.manager] in await manager.refreshNow(name) }
        simulation.loop.run()
        return outcome
    }

    @Test func `The old token is served until the new one is there`() throws {
        let simulation = Simulation([try .client()])
        try simulation.start()
        simulation.answer(.token("t1"))
        let outcome = refresh(simulation)
        #expect(outcome.value == nil)
        #expect(simulation.ask().header?.value == "Bearer t1")
        #expect(simulation.observer.header("a")?.value == "Bearer t1")
        simulation.answer(.token("t2"))
        #expect(outcome.value == .renewed)
        #expect(simulation.ask().header?.value == "Bearer t2")
        #expect(simulation.transport.exchanges.count == 2)
    }

    @Test func `Those who ask at the same time share one fetch`() throws {
        let simulation = Simulation([try .client()])
        try simulation.start()
        let outcomes = [refresh(simulation), refresh(simulation)]
        #expect(simulation.transport.exchanges.count == 1)
        simulation.answer(.token("t1"))
        #expect(outcomes.map(\.value) == [.renewed, .renewed])
    }

    @Test func `A failure says why, and the old token stays`() throws {
        let simulation = Simulation([try .client()])
        try simulation.start()
        simulation.answer(.token("t1"))
        let outcome = refresh(simulation)
        simulation.answer(.oauthError(401, "invalid_client"))
        guard case .failed(let error)? = outcome.value else {
            Issue.record("\(String(describing: outcome.value))")
            return
        }
        #expect(error.code == "token-server-refused")
        #expect(!error.message.contains("s3cret"))
        #expect(simulation.ask().header?.value == "Bearer t1")
    }

    @Test func `If a secret changes during the fetch, it does not report an earlier error`() throws {
        let simulation = Simulation([try .client(secret: .file(path: "/secret"))])
        simulation.secrets.setFile("/secret", "one")
        try simulation.start()
        simulation.answer(.status(500))
        let outcome = refresh(simulation)
        simulation.secrets.setFile("/secret", "two")
        for _ in 0..<60 where simulation.transport.exchanges.count < 3 { simulation.advance(.seconds(1)) }
        simulation.answer(.token("t1"))
        guard case .failed(let error)? = outcome.value else {
            Issue.record("\(String(describing: outcome.value))")
            return
        }
        #expect(error.code == "fetch-cancelled", "\(error.message)")
        #expect(error.message.contains("a secret changed during the fetch"))
    }

    @Test func `It does not wait for the end of a back-off`() throws {
        let simulation = Simulation([try .client()])
        try simulation.start()
        simulation.answer(.unreachable)
        #expect(try simulation.status()?.state == .failed)
        let outcome = refresh(simulation)
        #expect(simulation.transport.exchanges.count == 2)
        simulation.answer(.token("t1"))
        #expect(outcome.value == .renewed)
        #expect(simulation.ask().header?.value == "Bearer t1")
    }

    @Test func `While its file is missing, the last secret is used`() throws {
        let simulation = Simulation([try .client(secret: .file(path: "/secret"))])
        simulation.secrets.setFile("/secret", "one")
        try simulation.start()
        simulation.answer(.token("t1"))
        simulation.secrets.setFile("/secret", nil)
        let outcome = refresh(simulation)
        simulation.answer(.token("t2"))
        #expect(outcome.value == .renewed)
    }

    @Test func `A file is read again, and what cannot be fetched says why`() throws {
        let simulation = Simulation([
            CredentialConfiguration(name: "file", source: .file(path: "/token")),
            CredentialConfiguration(name: "fixed", source: .fixed(.literal("v"))),
        ])
        simulation.secrets.setFile("/token", "one")
        try simulation.start()
        simulation.secrets.setFile("/token", "two")
        #expect(refresh(simulation, "file").value == .renewed)
        #expect(simulation.observer.header("file")?.value == "Bearer two")
        simulation.secrets.setFile("/token", nil)
        guard case .failed(let error)? = refresh(simulation, "file").value else {
            Issue.record("the file is missing")
            return
        }
        #expect(error.code == "secret-unreadable")
        guard case .impossible? = refresh(simulation, "fixed").value else {
            Issue.record("a fixed value was fetched")
            return
        }
        guard case .impossible? = refresh(simulation, "other").value else {
            Issue.record("an unknown credential was fetched")
            return
        }
    }

    @Test func `A stop ends the wait`() throws {
        let simulation = Simulation([try .client()])
        try simulation.start()
        simulation.answer(.token("t1"))
        let outcome = refresh(simulation)
        try simulation.stop()
        simulation.loop.run()
        guard case .failed(let error)? = outcome.value else {
            Issue.record("\(String(describing: outcome.value))")
            return
        }
        #expect(error.code == "fetch-stopped")
    }
}
