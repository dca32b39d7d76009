import Testing
import TokenManager

@Suite("A file that becomes usable again") struct SecretRecoveryTests {
    private static let path = "/run/secret"

    private func client() throws -> Simulation {
        let simulation = Simulation([try .client(secret: .file(path: Self.path), isPosted: true)])
        simulation.secrets.setFile(Self.path, "one")
        simulation.transport.script { .token("t\($0.number)", life: 1000) }
        return simulation
    }

    private func local(_ text: String?) -> Simulation {
        let simulation = Simulation([CredentialConfiguration(name: "a", source: .file(path: Self.path))])
        simulation.secrets.setFile(Self.path, text)
        return simulation
    }

    @Test("The observer learns of it once, for the same secret and for another", arguments: ["one", "two"])
    func secret(found: String) throws {
        let simulation = try client()
        try simulation.start()
        #expect(simulation.observer.secretRecoveries.isEmpty)
        simulation.secrets.setFile(Self.path, nil)
        simulation.advance(.seconds(10))
        #expect(simulation.observer.secretRecoveries.isEmpty)
        simulation.secrets.setFile(Self.path, found)
        simulation.advance(.seconds(10))
        #expect(simulation.observer.secretRecoveries == [.seconds(10)])
    }

    @Test("The observer learns of a token file too, for the same token and for another", arguments: ["one", "two"])
    func tokenFile(found: String) throws {
        let simulation = local("one")
        try simulation.start()
        simulation.secrets.setFile(Self.path, nil)
        simulation.advance(.seconds(5))
        simulation.secrets.setFile(Self.path, found)
        simulation.advance(.seconds(5))
        #expect(simulation.observer.secretRecoveries == [.seconds(5)])
    }

    @Test("A file that was missing or unusable at the start is reported as well", arguments: [nil, "a b"])
    func fromTheStart(first: String?) throws {
        let simulation = local(first)
        try simulation.start()
        simulation.advance(.seconds(3))
        simulation.secrets.setFile(Self.path, "one")
        simulation.advance(.seconds(1))
        #expect(simulation.observer.secretRecoveries == [.seconds(4)])
    }

    @Test func `The next attempt is the same in the log and in the status, whatever is wrong`() throws {
        let secret = try client()
        try secret.start()
        secret.secrets.setFile(Self.path, nil)
        try expectSameAttempt(secret, after: .seconds(1), .seconds(1))
        let server = try client()
        server.transport.script { _ in .unreachable }
        try server.start()
        try expectSameAttempt(server, after: .zero)
        let missing = local(nil)
        try missing.start()
        try expectSameAttempt(missing, after: .zero, .seconds(1))
    }

    @Test func `The next attempt to write a refresh token is reported, not the next refresh`() throws {
        let simulation = try Simulation.withRefreshToken()
        simulation.transport.script { .rotating($0) }
        simulation.secrets.setReadOnly(true)
        try simulation.start()
        try expectSameAttempt(simulation, after: .zero, .seconds(60))
    }

    @Test func `The next attempt of a credential with values is the one that its values wait for`() throws {
        let simulation = Simulation([try .client(scope: "{host}")])
        simulation.transport.script { _ in .unreachable }
        try simulation.start()
        for round in 0..<4 {
            _ = simulation.ask(request: RequestParameters(host: "h\(round).test"))
            try expectSameAttempt(simulation, after: .zero)
            simulation.advance(.seconds(61))
        }
    }

    /// Expects the last failure that was told to name the same next attempt as the status.
    private func expectSameAttempt(
        _ simulation: Simulation, after duration: Duration, _ expected: Duration? = nil
    ) throws {
        simulation.advance(duration)
        let told = try #require(simulation.observer.failures.last?.error.retryAfter)
        let shown = try #require(try simulation.status()?.nextAttempt) - simulation.clock.now
        #expect(told == shown)
        if let expected { #expect(told == expected) }
    }
}
