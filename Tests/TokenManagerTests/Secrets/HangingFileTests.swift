import Testing
import TokenManager

@Suite("A file that hangs")
struct HangingFileTests {
    private static let path = "/nfs/secret"
    private static let message =
        "the file /nfs/secret could not be read for 10 s: look at the file system that holds it"

    private func simulation() throws -> Simulation {
        let simulation = Simulation([
            try .client(secret: .file(path: Self.path)), try .client("b", scope: "b"),
            CredentialConfiguration(name: "c", source: .file(path: "/nfs/token")),
        ])
        simulation.secrets.setFile(Self.path, "one")
        simulation.secrets.setFile("/nfs/token", "c0")
        simulation.transport.script { .token("t\($0.number)", life: 1000) }
        return simulation
    }

    @Test func `delays no caller of another credential, and callers of its own for ten seconds`() throws {
        let simulation = try simulation()
        simulation.secrets.hang(Self.path)
        try simulation.start()
        #expect(simulation.ask("b").header?.value == "Bearer t0")
        #expect(simulation.ask("c").header?.value == "Bearer c0")
        let caller = simulation.ask()
        let cancelled = simulation.ask()
        cancelled.cancel()
        simulation.loop.run()
        #expect(cancelled.error?.kind == .cancelled)
        simulation.advance(.milliseconds(9999))
        #expect(caller.value == nil)
        simulation.advance(.milliseconds(1))
        #expect(caller.error?.message == Self.message)
        #expect(simulation.ask().error?.message == Self.message)
        #expect(try simulation.status()?.lastError?.message == Self.message)
        #expect(simulation.observer.failures.map(\.error.message) == [Self.message])
        simulation.secrets.resumeReading()
        simulation.loop.run()
        #expect(simulation.ask().header?.value == "Bearer t1")
        #expect(try simulation.status()?.lastError == nil)
    }

    @Test func `leaves the last content in use, is reported once, and is read again when it no longer hangs`()
        throws
    {
        let simulation = try simulation()
        try simulation.start()
        for path in [Self.path, "/nfs/token"] { simulation.secrets.hang(path) }
        simulation.advance(.seconds(600))
        #expect(simulation.ask().header?.value == "Bearer t0")
        #expect(simulation.ask("c").header?.value == "Bearer c0")
        #expect(simulation.observer.failures.count == 2)
        #expect(try simulation.status()?.isUsable == true)
        simulation.secrets.setFile(Self.path, "two")
        simulation.secrets.setFile("/nfs/token", "c1")
        simulation.secrets.resumeReading()
        simulation.advance(.seconds(1))
        #expect(simulation.ask("c").header?.value == "Bearer c1")
        #expect(simulation.transport.exchanges.count == 3)
        #expect(try simulation.status()?.lastError == nil)
    }

    @Test func `is waited for without a start, and the last content is used afterwards`() throws {
        let simulation = try simulation()
        #expect(simulation.ask().header?.value == "Bearer t0")
        simulation.secrets.hang(Self.path)
        simulation.advance(.seconds(1))
        let caller = simulation.ask()
        #expect(caller.value == nil)
        simulation.advance(.seconds(10))
        #expect(caller.header?.value == "Bearer t0")
        #expect(simulation.ask().header?.value == "Bearer t0")
        simulation.secrets.resumeReading()
        simulation.loop.run()
    }

    @Test func `does not delay a stop`() throws {
        let simulation = try simulation()
        simulation.secrets.hang(Self.path)
        try simulation.start()
        let caller = simulation.ask()
        try simulation.stop()
        #expect(caller.error?.kind == .stopped)
        #expect(simulation.clock.sleeperCount == 0)
        simulation.secrets.resumeReading()
        simulation.loop.run()
    }

    @Test func `prevents its refresh token from being sent, and the error names it`() throws {
        let simulation = try Simulation.withRefreshToken()
        simulation.transport.script { .rotating($0) }
        try simulation.start()
        simulation.secrets.hang(Simulation.refreshTokenPath)
        simulation.advance(.seconds(99))
        #expect(simulation.sentRefreshTokens == ["r0"])
        #expect(simulation.ask().error?.message.hasPrefix("the file /refresh could not be read for 10 s") == true)
        simulation.secrets.resumeReading()
        simulation.advance(.seconds(2))
        #expect(simulation.sentRefreshTokens == ["r0", "r1"])
        #expect(simulation.ask().header?.value == "Bearer t1")
    }

    @Test func `does not bring back a spent refresh token that was read before its successor was written`() throws {
        let simulation = try Simulation.withRefreshToken()
        try simulation.start()
        simulation.secrets.hang(Simulation.refreshTokenPath)
        simulation.advance(.seconds(1))
        simulation.answer(.ok(#"{"access_token":"t0","expires_in":100,"refresh_token":"r1"}"#))
        simulation.secrets.resumeReading()
        simulation.advance(.seconds(5))
        #expect(simulation.secrets.writes == ["r1"])
        #expect(simulation.ask().header?.value == "Bearer t0")
        simulation.transport.script { .rotating($0) }
        simulation.advance(.seconds(90))
        #expect(simulation.sentRefreshTokens == ["r0", "r1"])
    }
}
