import Testing
import TokenManager

@Suite struct SecretChangeTests {
    private static let path = "/run/secret"

    private func simulation(_ secret: String? = "one") throws -> Simulation {
        let simulation = Simulation([try .client(secret: .file(path: Self.path), isPosted: true)])
        simulation.secrets.setFile(Self.path, secret)
        return simulation
    }

    private func secrets(_ simulation: Simulation) -> [String] {
        simulation.transport.exchanges.map {
            String(String(decoding: $0.request.body, as: UTF8.self).split(separator: "=").last ?? "")
        }
    }

    @Test func `A new secret is used at once, and the old one's token is served until its successor is there`() throws {
        let simulation = try simulation()
        try simulation.start()
        simulation.answer(.token("t1"))
        simulation.secrets.setFile(Self.path, "two")
        simulation.advance(.seconds(1))
        #expect(secrets(simulation) == ["one", "two"])
        #expect(simulation.ask().header?.value == "Bearer t1")
        simulation.answer(.token("t2"))
        #expect(simulation.ask().header?.value == "Bearer t2")
        #expect(!simulation.observer.events.contains(.header("a", nil)))
    }

    @Test(
        "A file with a second line is refused, like the same value in the configuration; the last good secret stays",
        arguments: ["two\nthree", "two\n", "two\r", "t\two", "two\u{0}"])
    func secondLine(text: String) throws {
        let simulation = try simulation()
        simulation.transport.script { .token("t\($0.number)") }
        try simulation.start()
        simulation.secrets.setFile(Self.path, text)
        simulation.advance(.seconds(1))
        let error = try #require(try simulation.status()?.lastError)
        #expect(
            error.message
                == "the file /run/secret contains a second line or another control character: write the value alone, on one line"
        )
        #expect(simulation.ask().header?.value == "Bearer t0")
        #expect(secrets(simulation) == ["one"])
    }

    @Test func `A remembered refusal is forgotten with the secret that it was for`() throws {
        let simulation = try simulation()
        try simulation.start()
        simulation.answer(.oauthError(401, "invalid_client"))
        simulation.advance(.milliseconds(500))
        #expect(simulation.ask().error != nil)
        simulation.secrets.setFile(Self.path, "two")
        simulation.advance(.milliseconds(500))
        #expect(secrets(simulation) == ["one", "two"])
        let caller = simulation.ask()
        simulation.answer(.token("t2"))
        #expect(caller.header?.value == "Bearer t2")
    }

    @Test func `Callers that wait for the old secret's fetch get the new one's result if the old one fails`() throws {
        let simulation = try simulation()
        try simulation.start()
        let caller = simulation.ask()
        simulation.secrets.setFile(Self.path, "two")
        simulation.advance(.seconds(1))
        #expect(secrets(simulation) == ["one", "two"])
        simulation.answer(.oauthError(401, "invalid_client"))
        #expect(caller.value == nil)
        simulation.answer(.token("t2"))
        #expect(caller.header?.value == "Bearer t2")
        #expect(try simulation.status()?.failed == 0)
    }

    @Test func `A fetch in flight with the old secret still answers the callers that wait for it`() throws {
        let simulation = try simulation()
        try simulation.start()
        let caller = simulation.ask()
        simulation.secrets.setFile(Self.path, "two")
        simulation.advance(.seconds(1))
        simulation.answer(.token("t1"))
        #expect(caller.header?.value == "Bearer t1")
        simulation.answer(.token("t2"))
        #expect(simulation.ask().header?.value == "Bearer t2")
        simulation.advance(.seconds(60))
        #expect(secrets(simulation) == ["one", "two"])
    }

    @Test func `A bad new secret leaves the old token in use until its end`() throws {
        let simulation = try simulation()
        try simulation.start()
        simulation.answer(.token("t1"))
        simulation.transport.script { _ in .oauthError(401, "invalid_client") }
        simulation.secrets.setFile(Self.path, "bad")
        simulation.advance(.seconds(90))
        #expect(simulation.ask().header?.value == "Bearer t1")
        let refused = TokenError.Kind.tokenServerRefused(status: 401, oauthError: "invalid_client")
        #expect(try simulation.status()?.lastError?.kind == refused)
        simulation.advance(.seconds(5))
        #expect(simulation.ask().error != nil)
        #expect(simulation.observer.header("a") == nil)
    }

    @Test func `A secret that changes back finds its key again, with one fetch in flight for it`() throws {
        let simulation = try simulation()
        try simulation.start()
        simulation.secrets.setFile(Self.path, "two")
        simulation.advance(.seconds(1))
        simulation.secrets.setFile(Self.path, "one")
        simulation.advance(.seconds(1))
        #expect(secrets(simulation) == ["one", "two"])
        simulation.answer(.token("t1"))
        #expect(simulation.observer.header("a")?.value == "Bearer t1")
        simulation.answer(.token("t2"))
        #expect(simulation.observer.header("a")?.value == "Bearer t1")
    }

    @Test func `A missing secret is named, checked every second, and used when it exists`() throws {
        let simulation = try simulation(nil)
        try simulation.start()
        let error = try #require(simulation.ask().error)
        #expect(error.kind == .secretUnreadable)
        #expect(error.description == "credential a: file /run/secret cannot be read: create it")
        #expect(error.retryAfter == .seconds(1))
        simulation.advance(.seconds(10))
        #expect(try simulation.status()?.state == .failed)
        #expect(simulation.observer.events == [.failed("a", .secretUnreadable)])
        simulation.secrets.setFile(Self.path, "one")
        simulation.advance(.seconds(1))
        simulation.answer(.token("t1"))
        #expect(simulation.ask().header?.value == "Bearer t1")
        #expect(try simulation.status()?.lastError == nil)
    }

    @Test func `A secret that vanishes later is reported once, and the last one stays in use`() throws {
        let simulation = try simulation()
        simulation.transport.script { .token("t\($0.number)") }
        try simulation.start()
        simulation.secrets.setFile(Self.path, nil)
        simulation.advance(.seconds(100))
        #expect(secrets(simulation) == ["one", "one"])
        #expect(simulation.ask().header?.value == "Bearer t1")
        #expect(simulation.observer.events.count { $0 == .failed("a", .secretUnreadable) } == 1)
        simulation.secrets.setFile(Self.path, "one")
        simulation.advance(.seconds(1))
        #expect(try simulation.status()?.lastError == nil)
        #expect(secrets(simulation) == ["one", "one"])
    }

    @Test func `A secret that vanishes stays the reported reason when fetches fail too`() throws {
        let simulation = try simulation()
        try simulation.start()
        simulation.answer(.token("t1"))
        simulation.secrets.setFile(Self.path, nil)
        simulation.advance(.seconds(1))
        #expect(simulation.observer.failures.last?.error.retryAfter == .seconds(1))
        #expect(simulation.observer.failures.last?.servesFor == .seconds(94))
        simulation.transport.script { _ in .unreachable }
        simulation.advance(.seconds(99))
        let status = try simulation.status()
        #expect(status?.state == .failed)
        #expect(status?.lastError?.kind == .secretUnreadable)
        simulation.secrets.setFile(Self.path, "one")
        simulation.advance(.seconds(1))
        #expect(try simulation.status()?.lastError?.kind == .tokenServerUnreachable)
    }

    @Test func `Secrets from the environment and from the configuration are read once`() throws {
        let simulation = Simulation([
            try .client(secret: .environment(name: "S"), isPosted: true),
            try .client("b", secret: .literal("lit"), isPosted: true, host: "b.test"),
            try .client("c", secret: .environment(name: "MISSING")),
        ])
        simulation.secrets.setEnvironment("S", "env")
        simulation.transport.script { .token("t\($0.number)") }
        try simulation.start()
        #expect(secrets(simulation) == ["env", "lit"])
        let reads = simulation.secrets.readCount
        simulation.advance(.seconds(60))
        #expect(simulation.ask().header != nil)
        let error = simulation.ask("c").error
        #expect(error?.description == "credential c: environment variable MISSING cannot be read: create it")
        #expect(simulation.secrets.readCount == reads)
        #expect(reads == 3)
    }

    @Test func `Without a start, a new secret is found when a caller asks, at most once a second`() throws {
        let simulation = try simulation()
        _ = simulation.ask()
        simulation.answer(.oauthError(401, "invalid_client"))
        simulation.secrets.setFile(Self.path, "two")
        simulation.advance(.milliseconds(999))
        #expect(simulation.ask().error != nil)
        #expect(simulation.secrets.readCount == 1)
        simulation.advance(.milliseconds(1))
        let caller = simulation.ask()
        simulation.answer(.token("t2"))
        #expect(caller.header?.value == "Bearer t2")
        #expect(secrets(simulation) == ["one", "two"])
    }
}
