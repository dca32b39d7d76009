import Testing
import TokenManager

@Suite("A token that a backend refused")
struct RefusedTests {
    private func started() throws -> Simulation {
        let simulation = Simulation([try .client()])
        try simulation.start()
        simulation.answer(.token("t1"))
        return simulation
    }

    @Test func `is withdrawn at once, and its successor is fetched for all callers`() throws {
        let simulation = try started()
        let replacement = simulation.replace("Bearer t1")
        let other = simulation.ask()
        #expect(simulation.observer.header("a") == nil)
        #expect(simulation.transport.open.count == 1)
        simulation.answer(.token("t2"))
        #expect(replacement.header??.value == "Bearer t2")
        #expect(other.header?.value == "Bearer t2")
        #expect(simulation.observer.header("a")?.value == "Bearer t2")
    }

    @Test func `changes nothing if it has been replaced meanwhile`() throws {
        let simulation = try started()
        simulation.advance(.seconds(80))
        simulation.answer(.token("t2"))
        #expect(simulation.replace("Bearer t1").header??.value == "Bearer t2")
        #expect(simulation.transport.exchanges.count == 2)
        #expect(simulation.observer.header("a")?.value == "Bearer t2")
    }

    @Test func `changes nothing if no manager issued it`() throws {
        let simulation = try started()
        #expect(simulation.replace(.unissued).header??.value == "Bearer t1")
        #expect(simulation.transport.exchanges.count == 1)
        #expect(simulation.observer.header("a")?.value == "Bearer t1")
    }

    @Test func `counts once, however many requests were sent with it`() throws {
        let simulation = try started()
        let refused = simulation.observer.generation(of: "Bearer t1")
        let early = (0..<100).map { _ in simulation.replace(refused) }
        simulation.answer(.token("t2"))
        // Their refusals come late: the ten seconds are over.
        simulation.advance(.seconds(11))
        let late = (0..<100).map { _ in simulation.replace(refused) }
        for replacement in early + late { #expect(replacement.header??.value == "Bearer t2") }
        #expect(simulation.transport.exchanges.count == 2)
    }

    @Test func `causes one fetch in ten seconds, however often it is refused`() throws {
        let simulation = try started()
        _ = simulation.replace("Bearer t1")
        simulation.answer(.token("t2"))
        for _ in 0..<100 { #expect(simulation.replace("Bearer t2").header == .some(nil)) }
        simulation.advance(.milliseconds(9_999))
        #expect(simulation.replace("Bearer t2").header == .some(nil))
        #expect(simulation.transport.exchanges.count == 2)
        #expect(simulation.ask().header?.value == "Bearer t2")
        simulation.advance(.milliseconds(1))
        let replacement = simulation.replace("Bearer t2")
        simulation.answer(.token("t3"))
        #expect(replacement.header??.value == "Bearer t3")
        #expect(simulation.transport.exchanges.count == 3)
    }

    @Test func `differs from the same text issued again`() throws {
        let simulation = try started()
        let refused = simulation.observer.generation(of: "Bearer t1")
        let replacement = simulation.replace(refused)
        simulation.answer(.token("t1"))
        let other = try #require(replacement.header ?? nil)
        #expect(other.value == "Bearer t1")
        #expect(other.generation != refused)
        // A refusal of the first that comes later says nothing of the second, which the token server has just given.
        simulation.advance(.seconds(11))
        #expect(simulation.replace(refused).header??.generation == other.generation)
        #expect(simulation.transport.exchanges.count == 2)
        #expect(simulation.observer.header("a")?.generation == other.generation)
        _ = simulation.replace(other.generation)
        #expect(simulation.transport.exchanges.count == 3)
    }

    @Test func `from a file stays the same until the file changes`() throws {
        let simulation = Simulation([CredentialConfiguration(name: "a", source: .file(path: "/token"))])
        simulation.secrets.setFile("/token", "t1")
        try simulation.start()
        let refused = try #require(simulation.ask().header).generation
        #expect(refused != .unissued)
        simulation.advance(.seconds(5))
        #expect(simulation.replace(refused).header == .some(nil))
        simulation.secrets.setFile("/token", "t2")
        simulation.advance(.seconds(1))
        #expect(simulation.replace(refused).header??.value == "Bearer t2")
    }

    @Test func `waits for the refresh that is already in flight`() throws {
        let simulation = try started()
        simulation.advance(.seconds(80))
        #expect(simulation.transport.open.count == 1)
        let replacement = simulation.replace("Bearer t1")
        #expect(simulation.observer.header("a") == nil)
        #expect(simulation.transport.exchanges.count == 2)
        simulation.answer(.token("t2"))
        #expect(replacement.header??.value == "Bearer t2")
    }

    @Test func `does not shorten the back-off of a token server that fails`() throws {
        let simulation = try started()
        simulation.advance(.seconds(80))
        simulation.answer(.status(503, retryAfter: "10"))
        #expect(simulation.replace("Bearer t1").header == .some(nil))
        #expect(simulation.transport.open.isEmpty)
        #expect(simulation.ask().header?.value == "Bearer t1")
    }

    @Test func `has no effect for an unknown credential or a stopped manager`() throws {
        let simulation = try started()
        #expect(simulation.replace("Bearer t1", for: "b").error?.kind == .unknownCredential)
        try simulation.stop()
        #expect(simulation.replace("Bearer t1").error?.kind == .stopped)
    }
}

extension Simulation {
    /// Tells of a refusal of the newest token with this field value, and asks for another.
    func replace(
        _ value: String, for name: String = "a", request: RequestParameters = RequestParameters()
    ) -> Outcome<Result<AuthorizationHeader?, TokenError>> {
        replace(observer.generation(of: value), for: name, request: request)
    }

    /// Tells of a refusal, and asks for another token.
    func replace(
        _ generation: TokenGeneration, for name: String = "a", request: RequestParameters = RequestParameters()
    ) -> Outcome<Result<AuthorizationHeader?, TokenError>> {
        let outcome = loop.spawn { [manager] in
            do throws(TokenError) {
                return Result<AuthorizationHeader?, TokenError>.success(
                    try await manager.authorizationHeader(for: name, insteadOf: generation, request: request))
            } catch {
                return .failure(error)
            }
        }
        loop.run()
        return outcome
    }
}

extension Outcome<Result<AuthorizationHeader?, TokenError>> {
    /// The answer: nil while there is none, then the header or that there is no other.
    var header: AuthorizationHeader?? {
        guard case .success(let header) = value else { return nil }
        return .some(header)
    }

    var error: TokenError? {
        guard case .failure(let error) = value else { return nil }
        return error
    }
}
