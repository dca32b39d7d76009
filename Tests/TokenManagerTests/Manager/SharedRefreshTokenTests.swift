import Support
import Testing
import TokenManager

@Suite("A refresh token in a file that another process writes too") struct SharedRefreshTokenTests {
    private static let path = Simulation.refreshTokenPath

    /// A manager that has fetched its first token, and whose server replaces each refresh token.
    private func settled() throws -> Simulation {
        let simulation = try Simulation.withRefreshToken()
        simulation.transport.script { .rotating($0) }
        try simulation.start()
        return simulation
    }

    @Test func `Two processes on one file do not answer each other's new refresh token with a fetch`() throws {
        let simulation = try settled()
        let observer = RecordingObserver()
        let client = RefreshToken(
            endpoint: .url(try TokenURL("https://idp.test/token")),
            client: OAuthClient(id: "cid", authentication: .none),
            path: Self.path)
        let other = TokenManager(
            credentials: [CredentialConfiguration(name: "a", source: .refreshToken(client))],
            transport: simulation.transport, clock: simulation.clock, secrets: simulation.secrets,
            writer: simulation.secrets, observer: observer, executor: simulation.loop, random: SeededGenerator(seed: 2))
        try simulation.loop.call { await other.start() }
        simulation.advance(.seconds(60))
        #expect(simulation.sentRefreshTokens == ["r0", "r1"])
        // Each refreshes when its own token is due, with what the other left in the file.
        simulation.advance(.seconds(540))
        let sent = simulation.sentRefreshTokens
        #expect((12...20).contains(sent.count))
        #expect(sent == sent.indices.map { "r\($0)" })
        #expect(simulation.observer.failures.isEmpty)
        #expect(observer.failures.isEmpty)
        #expect(simulation.observer.replacements == [Self.path])
        #expect(observer.replacements == [Self.path])
        try simulation.loop.call { await other.stop() }
    }

    @Test func `The token stays in use until it is due, and the file's refresh token fetches its successor`()
        throws
    {
        let simulation = try settled()
        simulation.secrets.setFile(Self.path, "other")
        simulation.advance(.seconds(60))
        #expect(simulation.sentRefreshTokens == ["r0"])
        #expect(simulation.ask().header?.value == "Bearer t0")
        simulation.advance(.seconds(25))
        #expect(simulation.sentRefreshTokens == ["r0", "other"])
        #expect(simulation.ask().header?.value == "Bearer t1")
    }

    @Test func `While a refresh fails, the file's new refresh token is used at once, and no error is reported`() throws
    {
        let simulation = try settled()
        simulation.transport.script { _ in .oauthError(400, "invalid_grant") }
        simulation.advance(.seconds(85))
        #expect(try simulation.status()?.lastError != nil)
        simulation.transport.script { .rotating($0) }
        let count = simulation.sentRefreshTokens.count
        simulation.secrets.setFile(Self.path, "mine")
        simulation.advance(.seconds(1))
        #expect(simulation.sentRefreshTokens.dropFirst(count) == ["mine"])
        #expect(simulation.observer.replacements.isEmpty)
    }

    @Test func `A client secret that changes with the refresh token is tried at once`() throws {
        let simulation = try Simulation.withRefreshToken(.post(.file(path: "/secret")))
        simulation.secrets.setFile("/secret", "s0")
        simulation.transport.script { .rotating($0) }
        try simulation.start()
        simulation.secrets.setFile("/secret", "s1")
        simulation.secrets.setFile(Self.path, "mine")
        simulation.advance(.seconds(1))
        #expect(simulation.sentRefreshTokens == ["r0", "mine"])
    }
}
