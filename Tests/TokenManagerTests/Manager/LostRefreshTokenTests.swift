import Testing
import TokenManager

@Suite("A new refresh token with characters that RFC 6749 does not allow") struct LostRefreshTokenTests {
    private static let message =
        "the token server gave a new refresh token that contains a control character, so it cannot be kept, and the old one "
        + "may be spent: obtain another refresh token and put it into /refresh"

    private static func answer(_ token: String, _ refreshToken: String?) -> ScriptedTransport.Answer {
        let member = refreshToken.map { #","refresh_token":"\#($0)""# } ?? ""
        return .ok(#"{"access_token":"\#(token)","expires_in":100\#(member)}"#)
    }

    @Test func `is written and sent if possible`() throws {
        let simulation = try Simulation.withRefreshToken()
        try simulation.start()
        simulation.answer(Self.answer("t0", "é日"))
        #expect(simulation.secrets.writes == ["é日"])
        simulation.advance(.seconds(90))
        #expect(simulation.sentRefreshTokens == ["r0", "%C3%A9%E6%97%A5"])
        #expect(try simulation.status()?.lastError == nil)
    }

    @Test func `is reported once if it cannot be kept, and the access token serves`() throws {
        let simulation = try Simulation.withRefreshToken()
        try simulation.start()
        simulation.answer(Self.answer("t0", #"a\nb"#))
        #expect(simulation.ask().header?.value == "Bearer t0")
        #expect(simulation.secrets.writes == [])
        let status = try simulation.status()
        #expect(status?.isUsable == true)
        #expect(status?.lastError?.message == Self.message)
        simulation.advance(.seconds(60))
        #expect(simulation.observer.failures.map(\.error.message) == [Self.message])
        // What the message asks for.
        simulation.secrets.setFile(Simulation.refreshTokenPath, "r9")
        simulation.advance(.seconds(1))
        #expect(try simulation.status()?.lastError == nil)
        #expect(simulation.sentRefreshTokens == ["r0", "r9"])
    }

    @Test func `is forgotten if the server accepts the old one again`() throws {
        let simulation = try Simulation.withRefreshToken()
        try simulation.start()
        simulation.answer(Self.answer("t0", String(repeating: "r", count: 65_537)))
        #expect(try simulation.status()?.lastError?.message.contains("has 65537 bytes, more than 65536") == true)
        simulation.advance(.seconds(90))
        simulation.answer(Self.answer("t1", nil))
        #expect(simulation.sentRefreshTokens == ["r0", "r0"])
        #expect(try simulation.status()?.lastError == nil)
    }

    @Test func `is replaced by one that can be kept`() throws {
        let simulation = try Simulation.withRefreshToken()
        try simulation.start()
        simulation.answer(Self.answer("t0", #"a\tb"#))
        simulation.advance(.seconds(90))
        simulation.answer(Self.answer("t1", "r2"))
        #expect(simulation.secrets.writes == ["r2"])
        #expect(try simulation.status()?.lastError == nil)
    }
}
