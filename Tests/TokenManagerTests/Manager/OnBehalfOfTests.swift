import Signing
import Testing
import TokenManager

@Suite("A token on behalf of a request's sender")
struct OnBehalfOfTests {
    private func simulation(scope: String? = nil) throws -> Simulation {
        let simulation = Simulation([
            CredentialConfiguration(
                name: "a",
                source: .tokenExchange(
                    TokenExchange(
                        endpoint: .url(try TokenURL("https://idp.test/token")), subject: .ofRequest(),
                        access: RequestedAccess(scope: scope))))
        ])
        simulation.transport.script { .token("t\($0.number)", life: 1000) }
        try simulation.start()
        return simulation
    }

    private func jwt(_ payload: String) -> String {
        "e30.\(Base64URL.encode(Array(payload.utf8))).c2ln"
    }

    @Test func `is exchanged for the request's own, once for each subject`() throws {
        let simulation = try simulation()
        #expect(simulation.transport.exchanges.isEmpty)
        for _ in 0..<3 {
            #expect(simulation.ask(bearer: "alice").header?.value == "Bearer t0")
            #expect(simulation.ask(bearer: "bob").header?.value == "Bearer t1")
        }
        let body = try #require(simulation.transport.bodies.first)
        let type = "urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token"
        #expect(body.contains("subject_token=alice&subject_token_type=\(type)"))
    }

    @Test(arguments: [nil, "", "a b", "=", "caf\u{e9}", String(repeating: "a", count: 65_537)])
    func `is refused without a usable bearer token`(_ token: String?) throws {
        let simulation = try simulation()
        #expect(
            simulation.ask(request: RequestParameters(bearerToken: token)).error?.kind == .subjectTokenUnusable)
        #expect(simulation.transport.exchanges.isEmpty)
    }

    @Test func `is used no longer than its subject token, and the subject is refused then`() throws {
        let simulation = try simulation()
        let subject = jwt(#"{"exp":\#(Int(simulation.clock.unixTime) + 60)}"#)
        let header = try #require(simulation.ask(bearer: subject).header)
        #expect(header.usableUntil <= simulation.clock.now + .seconds(60))
        #expect(header.usableUntil > simulation.clock.now + .seconds(58))
        simulation.advance(.seconds(61))
        #expect(simulation.ask(bearer: subject).error?.kind == .subjectTokenUnusable)
        #expect(simulation.transport.exchanges.count == 1)
        #expect(simulation.observer.valueHeaders.isEmpty)
    }

    @Test(arguments: ["invalid_grant", "invalid_request", "invalid_token"])
    func `is refused only to the request whose own token is invalid`(_ code: String) throws {
        let simulation = try simulation()
        simulation.transport.script { _ in .oauthError(400, code) }
        for number in 0..<10 { #expect(simulation.ask(bearer: "rubbish\(number)").error != nil) }
        let status = try #require(try simulation.status())
        #expect(status.failed == 10)
        #expect(status.lastError == nil)
        #expect(simulation.observer.events.isEmpty)
    }

    @Test func `is fetched for at most as many subjects at a time as tokens are kept`() throws {
        let simulation = try simulation()
        simulation.transport.script(nil)
        var kinds: [TokenError.Kind?] = []
        for number in 0..<300 {
            let caller = simulation.ask(bearer: "rubbish\(number)")
            kinds.append(caller.error?.kind)
            caller.cancel()
            simulation.loop.run()
        }
        #expect(simulation.transport.open.count == 100)
        #expect(kinds == Array(repeating: nil, count: 100) + Array(repeating: .tooManyFetches, count: 200))
        for _ in 0..<100 { simulation.answer(.oauthError(400, "invalid_grant")) }
        simulation.transport.script { _ in .token("t", life: 1000) }
        #expect(simulation.ask(bearer: "alice").header != nil)
        #expect(try simulation.status()?.valueCount == 1)
    }

    @Test func `is for one subject and one value together`() throws {
        let simulation = try simulation(scope: "{header:X-Tenant}")
        for tenant in ["north", "south"] {
            let request = RequestParameters(fields: ["x-tenant": tenant], bearerToken: "alice")
            #expect(simulation.ask(request: request).header != nil)
        }
        #expect(simulation.transport.exchanges.count == 2)
    }

    @Test func `shows the subject's token nowhere`() throws {
        let simulation = try simulation()
        simulation.transport.script { _ in .oauthError(400, "canary") }
        let request = RequestParameters(bearerToken: "canary")
        let error = try #require(simulation.ask(request: request).error)
        for text in ["\(error)", String(reflecting: error), "\(request)", String(reflecting: request)] {
            #expect(!text.contains("canary"))
        }
        var dumped = ""
        dump(request, to: &dumped)
        #expect(!dumped.contains("canary"))
    }
}

extension Simulation {
    fileprivate func ask(bearer: String) -> Outcome<Answered> { ask(request: RequestParameters(bearerToken: bearer)) }
}
