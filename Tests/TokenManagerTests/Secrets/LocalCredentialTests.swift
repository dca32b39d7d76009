import FoundationEssentials
import Testing
import TokenManager

@Suite struct LocalCredentialTests {
    private func file(
        _ text: String?, header: String = "Authorization", scheme: String? = "Bearer"
    ) -> Simulation {
        let simulation = Simulation([
            CredentialConfiguration(name: "a", source: .file(path: "/token"), header: header, scheme: scheme)
        ])
        simulation.secrets.setFile("/token", text)
        return simulation
    }

    private func fixed(_ secret: Secret, scheme: String? = nil) -> Simulation {
        Simulation([CredentialConfiguration(name: "a", source: .fixed(secret), header: "X-Api-Key", scheme: scheme)])
    }

    /// A JWT that the simulation's wall clock ends after so many seconds.
    private func jwt(_ simulation: Simulation, endsIn seconds: Int, issued: Int? = nil) -> String {
        let end = Int(simulation.clock.unixStart) + seconds
        let payload = issued.map { #"{"exp":\#(end),"iat":\#(end - $0)}"# } ?? #"{"exp":\#(end)}"#
        let base64 = Data(payload.utf8).base64EncodedString().replacing("=", with: "")
        return "e30.\(base64).c2ln"
    }

    @Test func `A file's value is sent unchanged, and again after each change`() throws {
        let simulation = file("one")
        try simulation.start()
        #expect(simulation.ask().header?.value == "Bearer one")
        simulation.secrets.setFile("/token", "two")
        simulation.advance(.milliseconds(999))
        #expect(simulation.observer.header("a")?.value == "Bearer one")
        simulation.advance(.milliseconds(1))
        let changed = simulation.clock.now
        #expect(simulation.observer.header("a")?.value == "Bearer two")
        #expect(simulation.ask().header?.value == "Bearer two")
        simulation.advance(.seconds(10_000))
        #expect(simulation.ask().header?.value == "Bearer two")
        #expect(try simulation.status()?.succeeded == 2)
        #expect(try simulation.status()?.expiresAt == nil)
        #expect(try simulation.status()?.receivedAt == changed)
        #expect(simulation.transport.exchanges.isEmpty)
    }

    @Test(
        "A token whose end does not fit into a Duration has expired, or never expires",
        arguments: [("-1e308", false), ("-1e21", false), ("1e308", true), ("1e21", true)])
    func endBeyondNumbers(end: String, isServed: Bool) throws {
        let payload = Data(#"{"exp":\#(end)}"#.utf8).base64EncodedString().replacing("=", with: "")
        let simulation = file("e30.\(payload).c2ln")
        try simulation.start()
        #expect((simulation.ask().header != nil) == isServed)
        #expect(try simulation.status()?.expiresAt == nil)
    }

    @Test func `Field and scheme come from the configuration`() throws {
        #expect(file("k", header: "X-Api-Key", scheme: nil).ask().header?.value == "k")
        #expect(file("k", header: "X-Api-Key", scheme: nil).ask().header?.name == "X-Api-Key")
        #expect(file("k", scheme: "Basic").ask().header?.value == "Basic k")
        #expect(file(" k\t", scheme: "Basic").ask().header?.value == "Basic k")
        #expect(file("a b", scheme: nil).ask().header?.value == "a b")
        #expect(file("a b", scheme: "bearer").ask().header == nil)
        #expect(file("dTpw", scheme: "basic").ask().header?.value == "basic dTpw")
        let bare = file("user:password", scheme: "Basic").ask().error?.message
        #expect(bare?.contains("write the Base64 of user:password") == true)
    }

    @Test(
        "For a file that vanishes or becomes invalid, the last good value stays and the reason is reported",
        arguments: [
            (nil, .secretUnreadable), ("", .secretUnreadable), ("a\nb", .unusableValue), (" ", .unusableValue),
            ("a\u{0}", .unusableValue), ("a\rb", .unusableValue), ("\u{7f}", .unusableValue),
            ("a b", .unusableValue), ("Bearer a", .unusableValue), ("a\u{e4}", .unusableValue), ("=", .unusableValue),
        ] as [(String?, TokenError.Kind)])
    func vanishes(text: String?, kind: TokenError.Kind) throws {
        let simulation = file("one")
        try simulation.start()
        simulation.secrets.setFile("/token", text)
        simulation.advance(.seconds(10))
        #expect(simulation.ask().header?.value == "Bearer one")
        #expect(simulation.observer.events == [.header("a", "Bearer one"), .fetched("a"), .failed("a", kind)])
        let status = try simulation.status()
        #expect(status?.state == .fresh)
        #expect(status?.lastError?.kind == kind)
        #expect(status?.lastError?.credential == "a")
        simulation.secrets.setFile("/token", "one")
        simulation.advance(.seconds(1))
        #expect(try simulation.status()?.lastError == nil)
        #expect(simulation.observer.events.count == 3)
    }

    @Test func `A file that is missing at the start is an error until it exists`() throws {
        let simulation = file(nil)
        try simulation.start()
        #expect(simulation.ask().error?.kind == .secretUnreadable)
        #expect(simulation.ask().error?.retryAfter == .seconds(1))
        simulation.secrets.setFile("/token", "one")
        simulation.advance(.seconds(1))
        #expect(simulation.ask().header?.value == "Bearer one")
    }

    @Test func `A JWT in a file is served until ten seconds before its end, and is an error then`() throws {
        let simulation = file(nil)
        let token = jwt(simulation, endsIn: 600, issued: 3600)
        simulation.secrets.setFile("/token", token)
        try simulation.start()
        #expect(simulation.ask().header?.value == "Bearer \(token)")
        #expect(simulation.ask().header?.usableUntil == simulation.clock.start + .seconds(590))
        simulation.advance(.seconds(589))
        #expect(simulation.ask().header?.value == "Bearer \(token)")
        simulation.advance(.seconds(1))
        let error = simulation.ask().error
        #expect(error?.kind == .tokenExpired)
        #expect(
            error?.description
                == "credential a: the file /token holds a token that has expired: replace it")
        #expect(simulation.observer.header("a") == nil)
        #expect(try simulation.status()?.state == .failed)
        simulation.advance(.seconds(60))
        #expect(simulation.observer.events.count { $0 == .failed("a", .tokenExpired) } == 1)
        let next = jwt(simulation, endsIn: 7200)
        simulation.secrets.setFile("/token", next)
        simulation.advance(.seconds(1))
        #expect(simulation.ask().header?.value == "Bearer \(next)")
    }

    @Test func `A JWT that has expired is not served, and one that never expires always is`() throws {
        let ended = file(nil)
        ended.secrets.setFile("/token", jwt(ended, endsIn: 5, issued: 3600))
        #expect(ended.ask().error?.kind == .tokenExpired)
        let endless = file("e30.eyJleHAiOjFlMzAwfQ.c2ln")
        #expect(endless.ask().header != nil)
        let whole = file(nil, scheme: nil)
        whole.secrets.setFile("/token", "Bearer " + jwt(whole, endsIn: 100))
        #expect(whole.ask().header?.usableUntil == whole.clock.start + .seconds(95))
    }

    @Test func `A static value is sent unchanged, wherever it comes from`() throws {
        #expect(fixed(.literal("k1")).ask().header?.value == "k1")
        let environment = fixed(.environment(name: "KEY"), scheme: "ApiKey")
        environment.secrets.setEnvironment("KEY", "k2")
        #expect(environment.ask().header?.value == "ApiKey k2")
        let file = fixed(.file(path: "/key"))
        file.secrets.setFile("/key", "k3")
        try file.start()
        file.secrets.setFile("/key", "k4")
        file.advance(.seconds(1))
        #expect(file.ask().header?.value == "k4")
        let jwt = fixed(.literal("e30.eyJleHAiOjF9.c2ln"))
        #expect(jwt.ask().header != nil)
    }

    @Test(
        "A static value that a field cannot hold is an error that does not quote it",
        arguments: ["k3y\r\nX: 1", "k3y\n", "k3y\u{0}", "\u{1b}k3y", " "])
    func unusable(text: String) throws {
        let simulation = fixed(.literal(text))
        try simulation.start()
        let error = try #require(simulation.ask().error)
        #expect(error.kind == .unusableValue)
        #expect(!error.description.contains("k3y"))
        #expect(error.retryAfter == nil)
        #expect(simulation.clock.sleeperCount == 0)
        #expect(try simulation.status()?.state == .failed)
    }

    @Test func `A field that cannot carry a credential is an error of the configuration`() throws {
        let simulation = file("k", header: "Content-Length", scheme: nil)
        try simulation.start()
        #expect(simulation.ask().error?.kind == .invalidConfiguration)
        #expect(
            simulation.ask().error?.description
                == "credential a: header Content-Length cannot carry a credential: correct the configuration")
        #expect(try simulation.status()?.state == .failed)
    }
}
