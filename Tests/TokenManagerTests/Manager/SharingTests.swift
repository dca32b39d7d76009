import Testing
import TokenManager

@Suite struct SharingTests {
    @Test func `Two credentials with an equal key share one fetch and keep their own fields`() throws {
        var second = try CredentialConfiguration.client("b")
        second.header = "X-Token"
        second.scheme = nil
        let simulation = Simulation([try .client(), second])
        try simulation.start()
        let first = simulation.ask("a")
        let other = simulation.ask("b")
        #expect(simulation.transport.exchanges.count == 1)
        simulation.answer(.token("t1"))
        #expect(first.header?.value == "Bearer t1")
        #expect(other.header?.value == "t1")
        #expect(other.header?.name == "X-Token")
        #expect(simulation.observer.header("b")?.value == "t1")
        #expect(try simulation.status("b")?.succeeded == 1)
        simulation.advance(.seconds(80))
        #expect(simulation.transport.exchanges.count == 2)
        simulation.answer(.status(500))
        #expect(simulation.observer.events.contains(.failed("b", .tokenServerRefused(status: 500, oauthError: nil))))
        #expect(simulation.ask("b").header?.value == "t1")
    }

    @Test func `A credential that joins a key in use has its token at once`() throws {
        let simulation = Simulation([
            try .client(secret: .literal("same")), try .client("b", secret: .file(path: "/b")),
        ])
        simulation.secrets.setFile("/b", "other")
        simulation.transport.script { .token("t\($0.number)", life: 1000) }
        try simulation.start()
        #expect(simulation.observer.header("b")?.value == "Bearer t1")
        simulation.secrets.setFile("/b", "same")
        simulation.advance(.seconds(1))
        #expect(simulation.observer.header("b")?.value == "Bearer t0")
        simulation.advance(.seconds(600))
        #expect(simulation.transport.exchanges.count == 2)
    }

    @Test func `Two credentials that share a token show the same state, however late one of them joins`() throws {
        let simulation = Simulation([
            try .client(secret: .literal("same")), try .client("b", secret: .file(path: "/b")),
        ])
        simulation.transport.script { _ in .status(500) }
        try simulation.start()
        func states() throws -> [CredentialStatus] {
            try ["a", "b"].map { name in
                var status = try #require(try simulation.status(name))
                status.name = ""
                status.lastError?.credential = ""
                status.succeeded = 0
                status.failed = 0
                return status
            }
        }
        simulation.secrets.setFile("/b", "same")
        simulation.advance(.seconds(1))
        #expect(try states()[0] == states()[1])
        #expect(try states()[1].lastError?.kind == .tokenServerRefused(status: 500, oauthError: nil))
        simulation.transport.script { .token("t\($0.number)") }
        simulation.advance(.seconds(60))
        #expect(try states()[0] == states()[1])
        #expect(try states()[1].isUsable)
    }

    @Test func `A server that hangs or fails delays no other credential`() throws {
        let simulation = Simulation([
            try .client(), try .client("b", host: "down.test"), try .client("c", host: "slow.test"),
        ])
        simulation.transport.script { exchange in
            switch exchange.request.url.host {
            case "down.test": .unreachable
            case "slow.test": nil
            default: .token("t\(exchange.number)")
            }
        }
        try simulation.start()
        #expect(simulation.ask("a").header != nil)
        #expect(simulation.ask("b").error != nil)
        #expect(simulation.ask("c").value == nil)
        simulation.advance(.seconds(500))
        #expect(simulation.ask("a").header != nil)
        #expect(simulation.transport.open.count == 1)
        #expect(try simulation.status("c")?.state == .fetching)
    }

    @Test func `No more tokens are kept than the cache holds, and the least recently used one is evicted first`() throws
    {
        let names = ["a", "b", "c"]
        let simulation = Simulation(try names.map { try .client($0, scope: $0) }, cacheSize: 2)
        simulation.transport.script { .token("t\($0.number)", life: 1000) }
        for name in ["a", "b", "a", "c"] { #expect(simulation.ask(name).header != nil) }
        #expect(simulation.transport.exchanges.count == 3)
        #expect(simulation.observer.header("b") == nil)
        #expect(try simulation.status("b")?.state == .empty)
        #expect(simulation.ask("a").header?.value == "Bearer t0")
        #expect(simulation.ask("c").header?.value == "Bearer t2")
        #expect(simulation.transport.exchanges.count == 3)
        #expect(simulation.ask("b").header?.value == "Bearer t3")
        #expect(simulation.transport.exchanges.count == 4)
    }

    @Test func `A start fetches only as many tokens as the cache holds`() throws {
        let simulation = Simulation(try (0..<10).map { try .client("n\($0)", scope: "s\($0)") }, cacheSize: 4)
        simulation.transport.script { .token("t\($0.number)") }
        try simulation.start()
        #expect(simulation.transport.exchanges.count == 4)
        #expect(simulation.ask("n9").header?.value == "Bearer t4")
        simulation.advance(.seconds(1000))
        let usable = try simulation.loop.call { [manager = simulation.manager] in await manager.status() }
            .count { $0.isUsable }
        #expect(usable == 4)
        #expect(simulation.clock.sleeperCount == 4)
    }

    @Test func `A key with a fetch in flight stays, and has only that one fetch`() throws {
        let simulation = Simulation(try (0..<3).map { try .client("n\($0)", scope: "s\($0)") }, cacheSize: 1)
        let callers = (0..<3).map { simulation.ask("n\($0)") }
        let again = simulation.ask("n0")
        #expect(simulation.transport.exchanges.count == 3)
        for number in 0..<3 { simulation.answer(.token("t\(number)")) }
        #expect(callers.map { $0.header?.value } == ["Bearer t0", "Bearer t1", "Bearer t2"])
        #expect(again.header?.value == "Bearer t0")
        #expect(try (0..<3).count { try simulation.status("n\($0)")?.isUsable == true } == 1)
    }

    @Test func `A changed secret does not evict another key, even if the cache is full`() throws {
        let simulation = Simulation(
            [try .client(secret: .file(path: "/a")), try .client("b", scope: "b")], cacheSize: 2)
        simulation.secrets.setFile("/a", "one")
        simulation.transport.script { .token("t\($0.number)", life: 1000) }
        try simulation.start()
        simulation.transport.script(nil)
        simulation.secrets.setFile("/a", "two")
        simulation.advance(.seconds(1))
        simulation.secrets.setFile("/a", "three")
        simulation.advance(.seconds(1))
        #expect(simulation.transport.open.count == 2)
        simulation.answer(.token("t2"))
        simulation.answer(.token("t3"))
        #expect(simulation.observer.header("a")?.value == "Bearer t3")
        #expect(simulation.observer.header("b")?.value == "Bearer t1")
        #expect(!simulation.observer.events.contains(.header("b", nil)))
    }

    @Test func `A changed secret is used at once even if the cache is full and the old fetch hangs`() throws {
        let simulation = Simulation([try .client(secret: .file(path: "/a"))], cacheSize: 1)
        simulation.secrets.setFile("/a", "one")
        try simulation.start()
        simulation.secrets.setFile("/a", "two")
        simulation.advance(.seconds(1))
        #expect(simulation.transport.open.count == 2)
    }

    @Test func `Of two credentials with one name, the first is used`() throws {
        let simulation = Simulation([try .client(), try .client(host: "other.test")])
        try simulation.start()
        #expect(simulation.transport.exchanges.map(\.request.url.host) == ["idp.test"])
    }
}
