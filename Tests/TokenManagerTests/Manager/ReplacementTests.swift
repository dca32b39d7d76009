import Support
import Testing
import TokenManager

/// The credentials of a running manager are replaced, as after a configuration was loaded again.
@Suite struct ReplacementTests {
    private func replace(
        _ simulation: Simulation, _ credentials: [(CredentialConfiguration, Int)], cacheSize: Int = 100
    ) -> Outcome<Bool> {
        let versioned = credentials.map { TokenManager.Versioned($0, version: $1) }
        let outcome = simulation.loop.spawn { [manager = simulation.manager] in
            do throws(TokenError) { try await manager.prepareReplacement(by: versioned) } catch { return false }
            await manager.replaceCredentials(cacheSize: cacheSize) {}
            return true
        }
        simulation.loop.run()
        return outcome
    }

    private func ask(_ simulation: Simulation, version: Int) -> Outcome<Simulation.Answered> {
        let outcome = simulation.loop.spawn { [manager = simulation.manager] in
            do throws(TokenError) {
                return Simulation.Answered.success(
                    try await manager.authorizationHeader(for: "a", version: version, request: RequestParameters()))
            } catch {
                return .failure(error)
            }
        }
        simulation.loop.run()
        return outcome
    }

    @Test func `A credential that stays keeps its token, its refresh and its counts`() throws {
        let simulation = Simulation([try .client()])
        simulation.transport.script { .token("t\($0.number)") }
        try simulation.start()
        var same = try CredentialConfiguration.client()
        same.isRequired = false
        #expect(try replace(simulation, [(same, 0), (.client("b", secret: .literal("other")), 1)]).value == true)
        #expect(simulation.ask("a").header?.value == "Bearer t0")
        #expect(simulation.ask("b").header?.value == "Bearer t1")
        #expect(simulation.transport.exchanges.count == 2)
        #expect(try simulation.status()?.succeeded == 1)
        #expect(try simulation.status()?.isRequired == false)
        simulation.advance(.seconds(80))
        #expect(simulation.transport.exchanges.count == 4)
    }

    @Test func `A changed credential begins anew, and nobody who asks gets the token of the old settings`() throws {
        let simulation = Simulation([try .client()])
        try simulation.start()
        simulation.answer(.token("old"))
        #expect(try replace(simulation, [(.client(scope: "other"), 1)]).value == true)
        // The observer keeps its copy for requests of the old configuration.
        #expect(simulation.observer.header("a")?.value == "Bearer old")
        let new = ask(simulation, version: 1)
        #expect(new.value == nil)
        simulation.answer(.token("new"))
        #expect(new.header?.value == "Bearer new")
        #expect(simulation.observer.header("a")?.value == "Bearer new")
        #expect(ask(simulation, version: 0).error?.kind == .unknownCredential)
        #expect(try simulation.status()?.succeeded == 2)
        simulation.advance(.seconds(80))
        #expect(simulation.transport.exchanges.count == 3)
    }

    @Test func `A caller that waits for the old token gets it, and its fetch is not repeated`() throws {
        let simulation = Simulation([try .client()])
        try simulation.start()
        let waiting = ask(simulation, version: 0)
        #expect(replace(simulation, []).value == true)
        #expect(waiting.value == nil)
        simulation.answer(.token("old"))
        #expect(waiting.header?.value == "Bearer old")
        #expect(simulation.observer.header("a") == nil)
        simulation.advance(.seconds(1000))
        #expect(simulation.transport.exchanges.count == 1)
        #expect(try simulation.status() == nil)
    }

    @Test func `A caller that asks for a new version before the manager has it waits for it`() throws {
        let simulation = Simulation([try .client()])
        simulation.transport.script { .token("t\($0.number)") }
        try simulation.start()
        let early = ask(simulation, version: 1)
        #expect(early.value == nil)
        #expect(try replace(simulation, [(.client(scope: "other"), 1)]).value == true)
        #expect(early.header?.value == "Bearer t1")
    }

    @Test func `The end of the manager answers a caller that waits for a new version`() throws {
        let simulation = Simulation([try .client()])
        simulation.transport.script { .token("t\($0.number)") }
        try simulation.start()
        let early = ask(simulation, version: 1)
        try simulation.stop()
        #expect(early.error?.kind == .stopped)
    }

    @Test func `A new refresh token of a credential that goes is in its file before the file is read for the new one`()
        throws
    {
        let simulation = try Simulation.withRefreshToken()
        try simulation.start()
        #expect(simulation.sentRefreshTokens == ["r0"])
        let client = RefreshToken(
            endpoint: .url(try TokenURL("https://idp.test/token")),
            client: OAuthClient(id: "cid", authentication: .none), path: Simulation.refreshTokenPath,
            access: RequestedAccess(scope: "other"))
        let replaced = replace(simulation, [(CredentialConfiguration(name: "a", source: .refreshToken(client)), 1)])
        #expect(replaced.value == nil)
        simulation.answer(.ok(#"{"access_token":"old","expires_in":100,"refresh_token":"r1"}"#))
        #expect(replaced.value == true)
        #expect(simulation.sentRefreshTokens == ["r0", "r1"])
        simulation.answer(.token("new"))
        #expect(simulation.ask().header?.value == "Bearer new")
    }

    @Test func `The files of a new credential are watched, and those of one that has gone are not read`() throws {
        let simulation = Simulation([try .client()])
        simulation.transport.script { .token("t\($0.number)") }
        try simulation.start()
        simulation.secrets.setFile("/b", "first")
        #expect(try replace(simulation, [(.client("b", secret: .file(path: "/b")), 1)]).value == true)
        #expect(simulation.ask("b").header?.value == "Bearer t1")
        simulation.secrets.setFile("/b", "second")
        simulation.advance(.seconds(2))
        #expect(simulation.transport.exchanges.count == 3)
        #expect(replace(simulation, []).value == true)
        simulation.secrets.setFile("/b", "third")
        simulation.advance(.seconds(100))
        #expect(simulation.transport.exchanges.count == 3)
    }

    @Test func `Variants of a credential that goes are forgotten, and a smaller cache evicts tokens`() throws {
        let perTenant = CredentialConfiguration(
            name: "a",
            source: .clientCredentials(
                ClientCredentials(
                    endpoint: .url(try TokenURL("https://idp.test/token")),
                    client: OAuthClient(id: "cid", authentication: .basic(.literal("s3cret"))),
                    access: RequestedAccess(scope: "{header:X-Tenant}"))))
        let simulation = Simulation([perTenant])
        simulation.transport.script { .token("t\($0.number)", life: 1000) }
        try simulation.start()
        for tenant in ["x", "y", "z"] {
            #expect(simulation.ask(request: RequestParameters(fields: ["X-Tenant": tenant])).header != nil)
        }
        #expect(try simulation.status()?.valueCount == 3)
        #expect(replace(simulation, [(perTenant, 0)], cacheSize: 2).value == true)
        #expect(try simulation.status()?.valueCount == 2)
        #expect(try replace(simulation, [(.client(), 1)]).value == true)
        #expect(try simulation.status()?.valueCount == nil)
        #expect(simulation.ask().header?.value == "Bearer t3")
    }
}
