import Support
import Testing
import TokenManager

/// Credentials with refresh tokens are replaced, as after a configuration was loaded again.
@Suite struct RotatingReplacementTests {
    private static let r1 = ScriptedTransport.Answer.ok(
        #"{"access_token":"t0","expires_in":100,"refresh_token":"r1"}"#)

    private static func changed() throws -> CredentialConfiguration {
        let client = RefreshToken(
            endpoint: .url(try TokenURL("https://idp.test/token")),
            client: OAuthClient(id: "cid", authentication: .none), path: Simulation.refreshTokenPath,
            access: RequestedAccess(scope: "other"))
        return CredentialConfiguration(name: "a", source: .refreshToken(client))
    }

    /// The outcome is an empty text, or the error.
    private func prepare(_ simulation: Simulation) throws -> Outcome<String> {
        let versioned = [TokenManager.Versioned(try Self.changed(), version: 1)]
        let outcome = simulation.loop.spawn { [manager = simulation.manager] in
            do throws(TokenError) {
                try await manager.prepareReplacement(by: versioned)
                return ""
            } catch {
                return error.description
            }
        }
        simulation.loop.run()
        return outcome
    }

    private func replace(_ simulation: Simulation) throws {
        try simulation.loop.call { [manager = simulation.manager] in await manager.replaceCredentials(cacheSize: 9) {} }
    }

    private func abandon(_ simulation: Simulation) throws {
        try simulation.loop.call { [manager = simulation.manager] in await manager.abandonReplacement() }
    }

    private func started(_ answer: ScriptedTransport.Answer = Self.r1) throws -> Simulation {
        let simulation = try Simulation.withRefreshToken()
        try simulation.start()
        simulation.answer(answer)
        return simulation
    }

    @Test func `A refresh token that is only in memory refuses the replacement, and is used as before`() throws {
        let simulation = try Simulation.withRefreshToken()
        simulation.secrets.setReadOnly(true)
        try simulation.start()
        simulation.answer(Self.r1)
        #expect(
            try prepare(simulation).value
                == "credential a: its new refresh token is only in memory, because /refresh cannot be written (/refresh cannot "
                + "be written: make it writable): make the file writable, and reload again")
        #expect(simulation.ask().header?.value == "Bearer t0")
        simulation.advance(.seconds(90))
        #expect(simulation.sentRefreshTokens == ["r0", "r1"])
        simulation.answer(.token("t1"))
        simulation.secrets.setReadOnly(false)
        #expect(try prepare(simulation).value == "")
        #expect(simulation.secrets.writes == ["r1"])
        try replace(simulation)
        simulation.loop.run()
        #expect(simulation.sentRefreshTokens == ["r0", "r1", "r1"])
    }

    @Test func `No refresh begins between the preparation and the replacement`() throws {
        let simulation = try started()
        #expect(try prepare(simulation).value == "")
        simulation.advance(.seconds(200))
        let waiting = simulation.ask()
        #expect(simulation.sentRefreshTokens == ["r0"])
        try replace(simulation)
        simulation.loop.run()
        #expect(simulation.sentRefreshTokens == ["r0", "r1"])
        #expect(waiting.error?.message.contains("the configuration changed the credential") == true)
        simulation.answer(.token("new"))
        #expect(simulation.ask().header?.value == "Bearer new")
    }

    @Test func `Refreshes begin again when the replacement is abandoned`() throws {
        let simulation = try started()
        #expect(try prepare(simulation).value == "")
        simulation.advance(.seconds(200))
        let waiting = simulation.ask()
        try abandon(simulation)
        simulation.loop.run()
        #expect(simulation.sentRefreshTokens == ["r0", "r1"])
        simulation.answer(.token("t1"))
        #expect(waiting.header?.value == "Bearer t1")
    }

    @Test func `A fetch that waits for the end of the preparation is no reason to wait`() throws {
        let simulation = try started()
        simulation.secrets.hang(Simulation.refreshTokenPath)
        simulation.advance(.seconds(90))
        #expect(simulation.sentRefreshTokens == ["r0"])
        #expect(try prepare(simulation).value == "")
        simulation.secrets.resumeReading()
        simulation.loop.run()
        #expect(simulation.sentRefreshTokens == ["r0"])
        try replace(simulation)
        simulation.loop.run()
        #expect(simulation.sentRefreshTokens == ["r0", "r1"])
    }

    @Test func `A token server that does not answer refuses the replacement after 5 s, and its answer counts`() throws {
        let simulation = try Simulation.withRefreshToken()
        try simulation.start()
        let prepared = try prepare(simulation)
        simulation.advance(.milliseconds(4900))
        #expect(prepared.value == nil)
        simulation.advance(.milliseconds(200))
        let expected = "the token server has received its refresh token and not answered for 5 s"
        #expect(prepared.value?.contains(expected) == true)
        simulation.answer(Self.r1)
        #expect(simulation.ask().header?.value == "Bearer t0")
        #expect(simulation.secrets.writes == ["r1"])
        #expect(try prepare(simulation).value == "")
    }

    @Test func `A write that hangs refuses the replacement after 5 s, and ends later`() throws {
        let simulation = try Simulation.withRefreshToken()
        simulation.secrets.setSlow()
        try simulation.start()
        simulation.answer(Self.r1)
        let prepared = try prepare(simulation)
        simulation.advance(.milliseconds(5100))
        #expect(prepared.value?.contains("the write to /refresh takes longer than 5 s") == true)
        simulation.secrets.finishWriting()
        simulation.loop.run()
        #expect(try prepare(simulation).value == "")
        #expect(simulation.secrets.writes == ["r1"])
    }

    @Test func `The end of the manager ends a preparation`() throws {
        let simulation = try Simulation.withRefreshToken()
        try simulation.start()
        let prepared = try prepare(simulation)
        let stopped = simulation.beginStop()
        #expect(prepared.value == "the token manager was stopped")
        simulation.answer(Self.r1)
        #expect(stopped.value == true)
        #expect(simulation.secrets.writes == ["r1"])
    }
}
