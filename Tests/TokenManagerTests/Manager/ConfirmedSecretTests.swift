import Testing
import TokenManager

@Suite("The files of a refresh token's credential, right before the token is sent") struct ConfirmedSecretTests {
    @Test func `The file is read again right before the token is sent, so that a spent token is not sent`() throws {
        let simulation = try Simulation.withRefreshToken()
        simulation.transport.script { .rotating($0) }
        try simulation.start()
        // Another process spends it and writes its successor; 10 ms later a backend refuses the access token.
        simulation.secrets.setFile(Simulation.refreshTokenPath, "theirs")
        simulation.advance(.milliseconds(10))
        let answer = simulation.replace("Bearer t0")
        #expect(simulation.sentRefreshTokens == ["r0", "theirs"])
        #expect(answer.header??.value == "Bearer t1")
        #expect(simulation.secrets.writes == ["r1", "r2"])
        #expect(try simulation.status()?.failed == 0)
    }

    @Test func `A client secret that was replaced is sent with the same refresh token, and the old one is not`() throws
    {
        let simulation = try Simulation.withRefreshToken(.post(.file(path: "/secret")))
        simulation.secrets.setFile("/secret", "old")
        simulation.transport.script { .rotating($0) }
        try simulation.start()
        simulation.secrets.setFile("/secret", "new")
        let refused = simulation.observer.generation(of: "Bearer t0")
        _ = simulation.loop.spawn { [manager = simulation.manager] in await manager.refused(refused, for: "a") }
        simulation.loop.run()
        #expect(simulation.sentRefreshTokens == ["r0", "r1"])
        let body = simulation.transport.exchanges.last.map { String(decoding: $0.request.body, as: UTF8.self) }
        #expect(body?.contains("client_secret=new") == true)
    }

    @Test func `No refresh token is sent while its file cannot be read`() throws {
        let simulation = try Simulation.withRefreshToken()
        simulation.transport.script { .rotating($0) }
        try simulation.start()
        simulation.secrets.setFile(Simulation.refreshTokenPath, nil)
        simulation.advance(.seconds(200))
        #expect(simulation.sentRefreshTokens == ["r0"])
        #expect(simulation.ask().error?.kind == .secretUnreadable)
        simulation.secrets.setFile(Simulation.refreshTokenPath, "r1")
        simulation.advance(.seconds(2))
        #expect(simulation.sentRefreshTokens == ["r0", "r1"])
        #expect(simulation.ask().header?.value == "Bearer t1")
    }

    @Test func `A refresh token that only this process has is sent although its file is unreadable`() throws {
        let simulation = try Simulation.withRefreshToken()
        simulation.transport.script { .rotating($0) }
        simulation.secrets.setReadOnly(true)
        try simulation.start()
        simulation.secrets.setFile(Simulation.refreshTokenPath, nil)
        simulation.advance(.seconds(90))
        #expect(simulation.sentRefreshTokens == ["r0", "r1"])
    }
}
