import Testing
import TokenManager

@Suite("A token server's refusal of the client of a request-dependent credential")
struct ClientOutageTests {
    private func simulation(_ credential: CredentialConfiguration? = nil) throws -> Simulation {
        let simulation = Simulation([try credential ?? .client(scope: "read:{host}")])
        simulation.transport.script { .token("t\($0.number)", life: 1000) }
        try simulation.start()
        return simulation
    }

    private func failures(_ simulation: Simulation) -> Int {
        simulation.observer.events.count { if case .failed = $0 { true } else { false } }
    }

    static let ofClient: [(ScriptedTransport.Answer, Double)] = [
        (.oauthError(401, "invalid_client"), 5), (.oauthError(400, "unauthorized_client"), 5), (.status(401), 5),
        (.status(429, retryAfter: "60"), 60), (.status(503, retryAfter: "30"), 30), (.status(500), 1.25),
        (.unreachable, 1.25), (.ok("{}"), 1.25), (.status(404), 1.25),
    ]

    @Test(arguments: ofClient)
    func `counts for all values until the back-off is over, and is reported once`(
        _ answer: ScriptedTransport.Answer, _ pause: Double
    ) throws {
        let simulation = try simulation()
        simulation.transport.script { _ in answer }
        let first = try #require(simulation.ask(host: "h0").error)
        for number in 0..<300 {
            let error = try #require(simulation.ask(host: "h\(number % 150)").error)
            #expect(error.kind == first.kind)
            #expect(error.message == first.message)
            #expect(error.credential == "a")
            #expect(try #require(error.retryAfter) <= .seconds(pause))
            #expect(try #require(error.retryAfter) >= .seconds(pause * 0.6))
        }
        #expect(simulation.transport.exchanges.count == 1)
        #expect(failures(simulation) == 1)
        #expect(try simulation.status()?.failed == 1)
        #expect(simulation.clock.sleeperCount == 0)
        simulation.advance(.seconds(pause))
        simulation.transport.script { .token("t\($0.number)", life: 1000) }
        #expect(simulation.ask(host: "new").header?.value == "Bearer t1")
        #expect(simulation.ask(host: "h0").header?.value == "Bearer t2")
        #expect(try simulation.status()?.lastError == nil)
    }

    @Test(
        arguments: [
            (.oauthError(400, "invalid_scope"), 9), (.oauthError(400, "invalid_target"), 9), (.status(403), 9),
        ] as [(ScriptedTransport.Answer, Int)])
    func `does not count if a value is the cause`(_ answer: ScriptedTransport.Answer, _ count: Int) throws {
        let simulation = try simulation()
        simulation.transport.script { _ in answer }
        for number in 0..<count { #expect(simulation.ask(host: "h\(number)").error != nil) }
        for number in 0..<count { #expect(simulation.ask(host: "h\(number)").error?.retryAfter == .seconds(5)) }
        #expect(simulation.transport.exchanges.count == count)
    }

    @Test func `is tested by one value after the back-off, which grows as for any credential`() throws {
        let simulation = try simulation()
        simulation.transport.script { _ in .oauthError(401, "invalid_client") }
        _ = simulation.ask(host: "h0")
        for (index, pause) in [5, 10, 20, 40, 80, 160, 300, 300].enumerated() {
            simulation.advance(.seconds(pause) - .milliseconds(1))
            #expect(simulation.ask(host: "early\(index)").error?.retryAfter == .milliseconds(1))
            #expect(simulation.transport.exchanges.count == index + 1)
            simulation.advance(.milliseconds(1))
            for number in 0..<50 { #expect(simulation.ask(host: "h\(number)").error != nil) }
            #expect(simulation.transport.exchanges.count == index + 2)
        }
        #expect(failures(simulation) == 9)
    }

    @Test func `makes other values fail while one value tries, and ends with its success`() throws {
        let simulation = try simulation()
        simulation.transport.script { _ in .unreachable }
        _ = simulation.ask(host: "a")
        simulation.advance(.seconds(2))
        simulation.transport.script(nil)
        let callers = (0..<2).map { _ in simulation.ask(host: "b") }
        let other = try #require(simulation.ask(host: "c").error)
        #expect(other.kind == .tokenServerUnreachable)
        #expect(other.retryAfter == .seconds(1))
        #expect(simulation.transport.open.count == 1)
        simulation.answer(.token("t"))
        #expect(callers.allSatisfy { $0.header?.value == "Bearer t" })
        for host in ["a", "c"] { _ = simulation.ask(host: host) }
        #expect(simulation.transport.open.count == 2)
    }

    @Test func `continues if the value that tries is refused itself`() throws {
        let simulation = try simulation()
        simulation.transport.script { _ in .status(500) }
        _ = simulation.ask(host: "a")
        simulation.advance(.seconds(2))
        simulation.transport.script { _ in .oauthError(400, "invalid_scope") }
        #expect(simulation.ask(host: "bad").error?.retryAfter == .seconds(5))
        simulation.transport.script(nil)
        let next = simulation.ask(host: "b")
        #expect(simulation.ask(host: "c").error?.retryAfter == .seconds(1))
        simulation.answer(.token("t"))
        #expect(next.header?.value == "Bearer t")
    }

    private static func pathed() throws -> CredentialConfiguration {
        let client = MobileClientAccess(
            serverURL: try TokenURL("https://idp.test/x"), appID: "{host}",
            authentication: .secret(clientID: "c", .literal("s3cret")))
        return CredentialConfiguration(name: "a", source: .mobileClientAccess(client))
    }

    @Test("says nothing about the client if the refused address contains a value", arguments: [400, 404, 410, 422])
    func unknownInPath(status: Int) throws {
        let simulation = try simulation(Self.pathed())
        simulation.transport.script { exchange in
            exchange.request.url.path.contains("/apps/good") ? .token("t", life: 100) : .status(status)
        }
        for number in 0..<30 {
            let error = try #require(simulation.ask(host: "unknown\(number)").error)
            #expect(error.kind == .tokenServerRefused(status: status, oauthError: nil))
            #expect(simulation.ask(host: "good\(number)").header?.value == "Bearer t")
        }
        // Each of them is remembered for itself, and is none of the credential's failures.
        #expect(simulation.ask(host: "unknown0").error != nil)
        #expect(simulation.transport.exchanges.count == 60)
        #expect(try simulation.status()?.lastError == nil)
        #expect(failures(simulation) == 0)
    }

    @Test("counts if the client or the server is at fault, even with a value in the path", arguments: [401, 429, 500])
    func clientInPath(status: Int) throws {
        let simulation = try simulation(Self.pathed())
        simulation.transport.script { _ in .status(status) }
        for number in 0..<9 { #expect(simulation.ask(host: "h\(number)").error != nil) }
        #expect(simulation.transport.exchanges.count == 1)
    }

    @Test func `is tested first by a value that has had a token, and by others a second later`() throws {
        let simulation = try simulation(Self.pathed())
        simulation.transport.script { _ in .token("t", life: 20) }
        #expect(simulation.ask(host: "good").header != nil)
        simulation.advance(.seconds(30))
        simulation.transport.script { _ in .status(503, retryAfter: "10") }
        #expect(simulation.ask(host: "unknown").error?.retryAfter == .seconds(10))
        simulation.advance(.seconds(10))
        simulation.transport.script { exchange in
            exchange.request.url.path.contains("/apps/good") ? .token("t", life: 100) : .status(404)
        }
        for number in 0..<9 {
            #expect(simulation.ask(host: "new\(number)").error?.retryAfter == .seconds(1))
        }
        #expect(simulation.transport.exchanges.count == 2)
        simulation.advance(.seconds(1))
        // Nobody with a known value has come: one of the others tries, and then another one a second later.
        for number in 0..<9 { #expect(simulation.ask(host: "new\(number)").error != nil) }
        #expect(simulation.transport.exchanges.count == 3)
        #expect(simulation.ask(host: "good").header?.value == "Bearer t")
        #expect(simulation.ask(host: "new").error?.retryAfter != nil)
        #expect(simulation.transport.exchanges.count == 5)
    }

    @Test func `counts once, however many fetches were in flight when the first failed`() throws {
        let simulation = try simulation()
        simulation.transport.script(nil)
        let callers = (0..<8).map { simulation.ask(host: "h\($0)") }
        for _ in 0..<7 { simulation.answer(.oauthError(401, "invalid_client")) }
        #expect(callers.prefix(7).allSatisfy { $0.error != nil })
        #expect(simulation.ask(host: "new").error?.retryAfter == .seconds(5))
        // The last of them succeeds: then nothing is wrong with the client.
        simulation.answer(.token("t"))
        #expect(callers[7].header?.value == "Bearer t")
        _ = simulation.ask(host: "new")
        #expect(simulation.transport.open.count == 1)
    }

    @Test func `does not affect values that have a token, until its end`() throws {
        let simulation = try simulation()
        for host in ["a", "b", "c"] { #expect(simulation.ask(host: host).header != nil) }
        simulation.transport.script { _ in .status(429, retryAfter: "300") }
        simulation.advance(.seconds(810))
        // One of them asks for its successor in the background.
        for _ in 0..<3 {
            for (index, host) in ["a", "b", "c"].enumerated() {
                #expect(simulation.ask(host: host).header?.value == "Bearer t\(index)")
            }
        }
        #expect(simulation.ask(host: "new").error?.retryAfter == .seconds(300))
        #expect(simulation.transport.exchanges.count == 4)
        #expect(simulation.replace("Bearer t1", request: RequestParameters(host: "b")).header == .some(nil))
        #expect(simulation.transport.exchanges.count == 4)
        simulation.advance(.seconds(200))
        #expect(simulation.observer.valueHeaders.isEmpty)
        for host in ["a", "b", "c"] { #expect(simulation.ask(host: host).error?.retryAfter == .seconds(100)) }
        #expect(simulation.transport.exchanges.count == 4)
    }

    @Test func `ends with a new secret`() throws {
        let simulation = Simulation([try .client(secret: .file(path: "/s"), scope: "{host}")])
        simulation.secrets.setFile("/s", "one")
        try simulation.start()
        simulation.transport.script { _ in .oauthError(401, "invalid_client") }
        for host in ["a", "b"] { #expect(simulation.ask(host: host).error != nil) }
        simulation.secrets.setFile("/s", "two")
        simulation.advance(.seconds(1))
        simulation.transport.script { .token("t\($0.number)") }
        for host in ["b", "a"] { #expect(simulation.ask(host: host).header != nil) }
        #expect(simulation.transport.exchanges.count == 3)
    }

    @Test func `counts for every subject that a token is exchanged for`() throws {
        let exchange = TokenExchange(endpoint: .url(try TokenURL("https://idp.test/token")), subject: .ofRequest())
        let simulation = try simulation(CredentialConfiguration(name: "a", source: .tokenExchange(exchange)))
        simulation.transport.script { _ in .oauthError(400, "invalid_grant") }
        for number in 0..<9 { _ = simulation.ask(request: RequestParameters(bearerToken: "s\(number)")) }
        #expect(simulation.transport.exchanges.count == 9)
        simulation.transport.script { _ in .oauthError(401, "invalid_client") }
        for number in 10..<19 { _ = simulation.ask(request: RequestParameters(bearerToken: "s\(number)")) }
        #expect(simulation.transport.exchanges.count == 10)
    }
}
