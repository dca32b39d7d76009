import Support
import Testing
import TokenManager

@Suite("A refresh token that the server replaces") struct RotationTests {
    private static let path = Simulation.refreshTokenPath

    private func simulation(
        _ authentication: ClientAuthentication = .none, dpop: DPoP? = nil, at endpoint: TokenEndpoint? = nil,
        cacheSize: Int = 100, more: [CredentialConfiguration] = []
    ) throws -> Simulation {
        try .withRefreshToken(authentication, dpop: dpop, at: endpoint, cacheSize: cacheSize, more: more)
    }

    private static func rotating(_ exchange: ScriptedTransport.Exchange) -> ScriptedTransport.Answer {
        .rotating(exchange)
    }

    private func sent(_ simulation: Simulation) -> [String] { simulation.sentRefreshTokens }

    @Test func `Each is used once, and its successor is in the file`() throws {
        let simulation = try simulation()
        simulation.transport.script(Self.rotating)
        try simulation.start()
        #expect(simulation.secrets.writes == ["r1"])
        #expect(simulation.ask().header?.value == "Bearer t0")
        simulation.advance(.seconds(400))
        #expect(
            sent(simulation) == ["r0", "r1", "r2", "r3", "r4"]
                || sent(simulation) == ["r0", "r1", "r2", "r3", "r4", "r5"])
        #expect(simulation.secrets.writes == (1...sent(simulation).count).map { "r\($0)" })
        #expect(try simulation.status()?.failed == 0)
        #expect(!simulation.observer.events.contains(.header("a", nil)))
    }

    @Test func `A server that keeps its refresh token, or issues the same again, causes no write`() throws {
        for more in ["", #","refresh_token":"r0""#, #","refresh_token":7"#] {
            let simulation = try simulation()
            simulation.transport.script { _ in .ok(#"{"access_token":"t","expires_in":100\#(more)}"#) }
            try simulation.start()
            simulation.advance(.seconds(200))
            #expect(simulation.secrets.writes == [])
            #expect(Set(sent(simulation)) == ["r0"])
        }
    }

    @Test(
        "The successor is kept although the access token with it is unusable",
        arguments: [#""expires_in":0"#, #""token_type":"mac""#, #""token_type":"N_A""#])
    func unusableToken(member: String) throws {
        let simulation = try simulation()
        try simulation.start()
        simulation.answer(.ok(#"{"access_token":"t0",\#(member),"refresh_token":"r1"}"#))
        #expect(simulation.secrets.writes == ["r1"])
        #expect(simulation.ask().error?.kind == .badTokenResponse)
        simulation.advance(.seconds(2))
        #expect(sent(simulation) == ["r0", "r1"])
        simulation.answer(.token("t1"))
        #expect(simulation.ask().header?.value == "Bearer t1")
    }

    @Test func `The successor is kept although the server does not bind the access token to the key of dpop`() throws {
        let simulation = try simulation(.post(.literal("s3cret")), dpop: .generated)
        try simulation.start()
        simulation.answer(.ok(#"{"access_token":"t0","token_type":"Bearer","refresh_token":"r1"}"#))
        #expect(simulation.secrets.writes == ["r1"])
        simulation.advance(.seconds(2))
        #expect(sent(simulation) == ["r0", "r1"])
    }

    @Test func `A public client's refresh token is not bound to a key that ends with the process`() throws {
        let simulation = try simulation(dpop: .generated)
        try simulation.start()
        let error = try #require(simulation.ask().error)
        #expect(error.kind == .invalidConfiguration)
        #expect(error.message.contains("dpop needs a stored key"))
        #expect(simulation.transport.exchanges.isEmpty)
        let kept = try self.simulation(dpop: .privateKey(.literal(SampleKey.p256.rawValue)))
        kept.transport.script { _ in .ok(#"{"access_token":"t","token_type":"DPoP"}"#) }
        #expect(kept.ask().header?.value == "DPoP t")
    }

    @Test func `The successor is kept although the response was too late for the access token`() throws {
        let simulation = try simulation()
        try simulation.start()
        simulation.advance(.seconds(5))
        simulation.answer(.ok(#"{"access_token":"t0","expires_in":5,"refresh_token":"r1"}"#))
        #expect(simulation.secrets.writes == ["r1"])
        simulation.advance(.seconds(2))
        #expect(sent(simulation) == ["r0", "r1"])
    }

    @Test func `A token that cannot be written is used from memory, reported once, and written as soon as possible`()
        throws
    {
        let simulation = try simulation()
        simulation.transport.script(Self.rotating)
        simulation.secrets.setReadOnly(true)
        try simulation.start()
        #expect(simulation.ask().header?.value == "Bearer t0")
        simulation.advance(.seconds(200))
        #expect(sent(simulation).prefix(3) == ["r0", "r1", "r2"])
        #expect(simulation.observer.events.count { $0 == .failed("a", .secretUnwritable) } == 1)
        #expect(try simulation.status()?.lastError?.kind == .secretUnwritable)
        #expect(try simulation.status()?.isUsable == true)
        #expect(simulation.observer.writtenCount == 0)
        simulation.secrets.setReadOnly(false)
        simulation.advance(.seconds(61))
        #expect(simulation.observer.writtenCount == 1)
        #expect(simulation.secrets.writes.last == "r\(sent(simulation).count)")
        #expect(try simulation.status()?.lastError == nil)
    }

    @Test
    func `A refresh token that another process puts into the file is used for the next fetch, and not overwritten`()
        throws
    {
        let simulation = try simulation()
        try simulation.start()
        simulation.secrets.setFile(Self.path, "mine")
        // The answer to the old one comes before the new one has been noticed.
        simulation.answer(.ok(#"{"access_token":"t0","expires_in":100,"refresh_token":"r1"}"#))
        #expect(simulation.secrets.writes == [])
        #expect(simulation.ask().header?.value == "Bearer t0")
        simulation.advance(.seconds(60))
        #expect(sent(simulation) == ["r0"])
        simulation.advance(.seconds(25))
        #expect(sent(simulation) == ["r0", "mine"])
        simulation.answer(.ok(#"{"access_token":"t1","expires_in":100,"refresh_token":"mine2"}"#))
        #expect(simulation.secrets.writes == ["mine2"])
        #expect(simulation.ask().header?.value == "Bearer t1")
    }

    @Test func `The response to a refresh token without a holder does not change the file`() throws {
        let simulation = try simulation()
        try simulation.start()
        simulation.secrets.setFile(Self.path, "mine")
        simulation.advance(.seconds(1))
        #expect(sent(simulation) == ["r0", "mine"])
        simulation.answer(.ok(#"{"access_token":"t0","expires_in":100,"refresh_token":"r1"}"#))
        #expect(simulation.secrets.writes == [])
        simulation.answer(.ok(#"{"access_token":"t1","expires_in":100}"#))
        #expect(simulation.ask().header?.value == "Bearer t1")
        simulation.advance(.seconds(75))
        #expect(sent(simulation).last == "mine")
    }

    @Test func `A refusal is remembered longer each time, and forgotten with the refresh token`() throws {
        let simulation = try simulation()
        simulation.transport.script { _ in .oauthError(400, "invalid_grant") }
        try simulation.start()
        simulation.advance(.seconds(100))
        #expect(simulation.transport.exchanges.count == 5)
        #expect(simulation.ask().error?.message.contains("put a new one into its file") == true)
        simulation.transport.script(Self.rotating)
        simulation.secrets.setFile(Self.path, "fresh")
        simulation.advance(.seconds(1))
        #expect(sent(simulation).last == "fresh")
        #expect(simulation.ask().header != nil)
    }

    @Test func `Until the token is in the file, nothing is served, fetched or read again, however slow the disk is`()
        throws
    {
        let simulation = try simulation()
        simulation.secrets.setSlow()
        try simulation.start()
        let caller = simulation.ask()
        simulation.answer(Self.first)
        simulation.advance(.seconds(30))
        #expect(caller.value == nil)
        #expect(sent(simulation) == ["r0"])
        simulation.secrets.finishWriting()
        simulation.advance(.seconds(1))
        #expect(simulation.secrets.writes == ["r1"])
        #expect(caller.header?.value == "Bearer t0")
        #expect(sent(simulation) == ["r0"])
    }

    @Test func `A disk that is slower than the token's life costs one more fetch and no stale token`() throws {
        let simulation = try simulation()
        simulation.secrets.setSlow()
        try simulation.start()
        let caller = simulation.ask()
        simulation.answer(Self.first)
        simulation.advance(.seconds(200))
        simulation.secrets.finishWriting()
        simulation.loop.run()
        #expect(caller.value == nil)
        #expect(sent(simulation) == ["r0", "r1"])
        simulation.answer(.token("t1"))
        #expect(caller.header?.value == "Bearer t1")
    }

    @Test func `A stop during a write ends everything, and the file has the new token`() throws {
        let simulation = try simulation()
        simulation.secrets.setSlow()
        try simulation.start()
        let caller = simulation.ask()
        simulation.answer(Self.first)
        let stop = simulation.beginStop()
        #expect(caller.error?.kind == .stopped)
        #expect(stop.value == nil)
        simulation.secrets.finishWriting()
        simulation.loop.run()
        #expect(stop.value == true)
        #expect(simulation.secrets.writes == ["r1"])
        #expect(simulation.clock.sleeperCount == 0)
    }

    @Test func `Another secret that changes while a refresh token is in use waits for the successor`() throws {
        let client = RefreshToken(
            endpoint: .url(try TokenURL("https://idp.test/token")),
            client: OAuthClient(id: "cid", authentication: .post(.file(path: "/secret"))), path: Self.path)
        let simulation = Simulation([CredentialConfiguration(name: "a", source: .refreshToken(client))])
        simulation.secrets.setFile(Self.path, "r0")
        simulation.secrets.setFile("/secret", "old")
        try simulation.start()
        simulation.secrets.setFile("/secret", "new")
        simulation.advance(.seconds(3))
        #expect(sent(simulation) == ["r0"])
        let caller = simulation.ask()
        simulation.answer(Self.first)
        #expect(caller.header?.value == "Bearer t0")
        #expect(simulation.secrets.writes == ["r1"])
        simulation.transport.script(Self.rotating)
        simulation.advance(.seconds(2))
        #expect(sent(simulation) == ["r0", "r1"])
        let body = simulation.transport.exchanges.last.map { String(decoding: $0.request.body, as: UTF8.self) }
        #expect(body?.contains("client_secret=new") == true)
        #expect(simulation.secrets.writes == ["r1", "r2"])
        #expect(simulation.ask().header?.value == "Bearer t1")
    }

    @Test func `A stop waits for the response to a refresh token that was sent, until its successor is written`()
        throws
    {
        let simulation = try simulation()
        try simulation.start()
        let caller = simulation.ask()
        let stop = simulation.beginStop()
        #expect(caller.error?.kind == .stopped)
        #expect(stop.value == nil)
        simulation.answer(Self.first)
        #expect(stop.value == true)
        #expect(simulation.secrets.writes == ["r1"])
        #expect(simulation.clock.sleeperCount == 0)
    }

    @Test func `A stop waits no longer than five seconds for a token server that does not answer`() throws {
        let simulation = try simulation()
        try simulation.start()
        let stop = simulation.beginStop()
        simulation.advance(.milliseconds(4999))
        #expect(stop.value == nil)
        simulation.advance(.milliseconds(1))
        #expect(stop.value == true)
        #expect(simulation.transport.open.isEmpty)
        #expect(simulation.clock.sleeperCount == 0)
    }

    @Test func `A stop waits for nothing if no refresh token can be lost`() throws {
        let simulation = Simulation([try .client()])
        try simulation.start()
        try simulation.stop()
        #expect(simulation.transport.open.isEmpty)
    }

    @Test func `A stop repeats a failed write a last time`() throws {
        let simulation = try simulation()
        simulation.transport.script(Self.rotating)
        simulation.secrets.setReadOnly(true)
        try simulation.start()
        #expect(simulation.secrets.writes == [])
        simulation.secrets.setReadOnly(false)
        try simulation.stop()
        #expect(simulation.secrets.writes == ["r1"])
    }

    /// A simulation whose first successor could not be written, and is being written now by a slow disk.
    private func retrying(isReadOnly: Bool) throws -> Simulation {
        let simulation = try simulation()
        simulation.secrets.setReadOnly(true)
        try simulation.start()
        simulation.answer(Self.first)
        simulation.secrets.setReadOnly(isReadOnly)
        simulation.secrets.setSlow()
        simulation.advance(.seconds(61))
        return simulation
    }

    @Test(
        "If a token is replaced while it is being written, its successor is written next, whether the write fails or not",
        arguments: [false, true])
    func replacedWhileWritten(isReadOnly: Bool) throws {
        let simulation = try retrying(isReadOnly: isReadOnly)
        simulation.advance(.seconds(24))
        #expect(sent(simulation) == ["r0", "r1"])
        simulation.answer(.ok(#"{"access_token":"t1","expires_in":1000,"refresh_token":"r2"}"#))
        #expect(simulation.secrets.writes == [])
        // The older one comes to its end, and the newer one's writing begins.
        simulation.secrets.finishWriting()
        simulation.loop.run()
        #expect(simulation.secrets.writes == (isReadOnly ? [] : ["r1"]))
        simulation.secrets.setReadOnly(false)
        simulation.secrets.finishWriting()
        simulation.loop.run()
        #expect(simulation.secrets.writes.last == "r2")
        #expect(simulation.ask().header?.value == "Bearer t1")
        #expect(simulation.observer.events.count { $0 == .failed("a", .secretUnwritable) } == 1)
        #expect(try simulation.status()?.lastError == nil)
        simulation.advance(.seconds(2))
        #expect(sent(simulation) == ["r0", "r1"])
    }

    @Test func `A written token that may not survive a power loss is not taken for another process's`() throws {
        let simulation = try simulation()
        simulation.transport.script(Self.rotating)
        simulation.secrets.setUnsafe()
        try simulation.start()
        simulation.advance(.seconds(200))
        #expect(sent(simulation).prefix(3) == ["r0", "r1", "r2"])
        #expect(simulation.secrets.writes.last == "r\(sent(simulation).count)")
        #expect(try simulation.status()?.lastError?.kind == .secretUnwritable)
    }

    @Test func `A stop waits for a repeated write`() throws {
        let simulation = try retrying(isReadOnly: false)
        let stop = simulation.beginStop()
        #expect(stop.value == nil)
        simulation.secrets.finishWriting()
        simulation.loop.run()
        #expect(stop.value == true)
        #expect(simulation.secrets.writes == ["r1"])
    }

    @Test func `A second stop ends no sooner than the first`() throws {
        let simulation = try simulation()
        try simulation.start()
        let stops = [simulation.beginStop(), simulation.beginStop()]
        #expect(stops.map(\.value) == [nil, nil])
        simulation.answer(Self.first)
        #expect(stops.map(\.value) == [true, true])
        #expect(simulation.secrets.writes == ["r1"])
    }

    @Test func `A stop while metadata is read again sends no refresh token`() throws {
        let simulation = try simulation(at: .issuer(try Issuer("https://idp.test")))
        simulation.transport.script { exchange in
            guard exchange.request.method == .get else { return .token("t", life: 86_400) }
            return exchange.number > 0
                ? nil : .ok(#"{"issuer":"https://idp.test","token_endpoint":"https://idp.test/token"}"#)
        }
        try simulation.start()
        simulation.advance(.seconds(2 * 86_400))
        #expect(simulation.transport.open.map(\.request.method) == [.get])
        let count = simulation.transport.exchanges.count
        let stop = simulation.beginStop()
        #expect(stop.value == true)
        #expect(simulation.transport.exchanges.count == count)
    }

    @Test func `Another part of the request that changes does not bring the old one back from the file`() throws {
        let simulation = try simulation(.post(.file(path: "/secret")))
        simulation.secrets.setFile("/secret", "s0")
        simulation.secrets.setReadOnly(true)
        try simulation.start()
        simulation.answer(Self.first)
        simulation.secrets.setFile("/secret", "s1")
        simulation.advance(.seconds(1))
        #expect(sent(simulation) == ["r0", "r1"])
        simulation.secrets.setReadOnly(false)
        simulation.advance(.seconds(61))
        #expect(simulation.secrets.writes == ["r1"])
    }

    @Test func `A token that another process puts into the file before the server's response keeps its holder`() throws
    {
        let simulation = try simulation(cacheSize: 2, more: [try .client("b"), try .client("c", scope: "c")])
        try simulation.start()
        _ = simulation.ask("c")
        simulation.secrets.setFile(Self.path, "r1")
        // The places are taken, so nothing is fetched by the new one yet.
        simulation.advance(.seconds(1))
        #expect(simulation.transport.exchanges.count == 3)
        let other = try #require(
            simulation.transport.open.first { !String(decoding: $0.request.body, as: UTF8.self).contains("refresh") })
        simulation.transport.answer(other.number, .token("b"))
        simulation.loop.run()
        simulation.answer(Self.first)
        for _ in 0..<2 { #expect(simulation.ask().header?.value == "Bearer t0") }
        #expect(simulation.transport.exchanges.count == 3)
    }

    private static let first = ScriptedTransport.Answer.ok(
        #"{"access_token":"t0","expires_in":100,"refresh_token":"r1"}"#)
}
