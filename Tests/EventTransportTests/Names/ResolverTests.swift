import Support
import Testing

@testable import EventTransport

@Suite("A resolver")
final class ResolverTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit { loop.finish() }

    @Test("asks for IPv4 and IPv6, once for all callers and once while the answer is kept")
    func bothFamilies() throws {
        let server = try FakeNameServer([
            "both.test": .init(v4: [[127, 0, 0, 1], [127, 0, 0, 2]], v6: [Array(repeating: 0, count: 15) + [1]])
        ])
        let resolver = Resolver(loop: loop, configuration: server.configurationFile, hostsFile: server.hostsFile)
        var answers: [Resolver.Answer] = []
        resolver.resolve("Both.test") { answers.append($0) }
        resolver.resolve("both.TEST") { answers.append($0) }
        #expect(answers.isEmpty)
        var whole: [Resolver.Found] { answers.compactMap { try? $0.get() }.filter(\.isWhole) }
        loop.runUntil { whole.count == 2 }
        resolver.resolve("both.test") { answers.append($0) }
        #expect(whole.count == 3)
        for found in whole { #expect(found.addresses.map(\.description) == ["::1", "127.0.0.1", "127.0.0.2"]) }
        #expect(server.questions.map(\.text).sorted() == ["both.test A", "both.test AAAA"])
    }

    @Test("uses search domains")
    func searchDomain() throws {
        let server = try FakeNameServer(["short.search.test": .init(v4: [[127, 0, 0, 3]])])
        #expect(try ask("short", server).get().map(\.description) == ["127.0.0.3"])
    }

    @Test("continues if servers fail for a search domain")
    func failingSearchDomain() throws {
        let server = try FakeNameServer(["short.search.test": .init(code: 2), "short": .init(v4: [[127, 0, 0, 3]])])
        #expect(try ask("short", server).get().map(\.description) == ["127.0.0.3"])
    }

    @Test("reports the failure if no other candidate has an address")
    func failureBehindSearchDomain() throws {
        let server = try FakeNameServer(["short.search.test": .init(code: 2)])
        let error = try #require(ask("short", server).failure)
        #expect(error.message.contains("gave no usable answer for short"), "\(error.message)")
    }

    @Test("finds names in the hosts file, IPv4 and IPv6, without asking a server")
    func hostsFile() throws {
        let server = try FakeNameServer([:], hosts: "# comment\n10.9.8.7 backend.test alias\n2001:db8::5\tsix.test\n")
        #expect(try ask("backend.test", server).get().map(\.description) == ["10.9.8.7"])
        #expect(try ask("alias", server).get().map(\.description) == ["10.9.8.7"])
        #expect(try ask("six.test", server).get().map(\.description) == ["2001:db8::5"])
        #expect(server.questions.isEmpty)
    }

    @Test("reports that a name is unknown", arguments: ["missing.test", "empty.test"])
    func unknown(name: String) throws {
        let server = try FakeNameServer(["empty.test": .init()])
        let error = try #require(ask(name, server).failure)
        #expect(error.kind == .resolution)
        #expect(error.message == "no address is known for \(name); check the name")
    }

    @Test("reads the hosts file again when it has changed")
    func changedHosts() throws {
        let server = try FakeNameServer([:], hosts: "127.0.0.1 moving.test\n")
        let resolver = Resolver(loop: loop, configuration: server.configurationFile, hostsFile: server.hostsFile)
        #expect(try ask("moving.test", resolver).get().map(\.description) == ["127.0.0.1"])
        try server.replaceHosts("127.0.0.1 moving.test\n127.0.0.2 moving.test # twice\n")
        #expect(try ask("moving.test", resolver).get().map(\.description) == ["127.0.0.1", "127.0.0.2"])
        try server.replaceHosts("")
        #expect(ask("moving.test", resolver).failure?.kind == .resolution)
    }

    @Test("skips invalid lines of a hosts file")
    func oddHosts() {
        let names = HostsFile.parse("\n# 1.1.1.1 a\nnonsense a\n 1.2.3.4\n\t1.2.3.4\tA b#c\r\n::1 a a\n1.2.3.4 a")
        #expect(names.mapValues { $0.map(\.description) } == ["a": ["1.2.3.4", "::1"], "b": ["1.2.3.4"]])
    }

    @Test("may be released while a question is in progress")
    func released() throws {
        weak var weakLoop: EventLoop?
        do {
            let loop = try EventLoop()
            weakLoop = loop
            let server = try FakeNameServer([:], isSilent: true)
            let resolver = Resolver(loop: loop, configuration: server.configurationFile, hostsFile: server.hostsFile)
            resolver.resolve("a.test") { _ in Issue.record("nobody is there to answer") }
            loop.adopt()
            loop.runTurn()
            try server.wait("both kinds are asked for") { $0.count == 2 }
            withExtendedLifetime(resolver) {}
        }
        #expect(weakLoop == nil)
    }

    @Test(
        "rejects impossible names without asking a server",
        arguments: [
            String(repeating: "x.", count: 150), String(repeating: "x", count: 64), "a\0b", "a\\.b", "a..b", "..", "",
            "a.onion.",
        ])
    func impossible(name: String) throws {
        let server = try FakeNameServer()
        #expect(try #require(ask(name, server).failure).kind == .resolution)
        #expect(server.questions.isEmpty)
    }

    @Test("works without resolv.conf and hosts file")
    func noFiles() throws {
        let resolver = Resolver(loop: loop, configuration: "/nonexistent/resolv.conf", hostsFile: "/nonexistent/hosts")
        var answer: Resolver.Answer?
        resolver.resolve("localhost") { answer = $0 }
        #expect(try #require(answer).get() == .init(addresses: [.loopbackV6, .loopbackV4], isWhole: true))
        // Nothing answers at 127.0.0.1:53 here, or it does not know the name: an error, not a crash.
        let outcome = Outcome()
        let connector = Connector(
            loop: loop, resolverConfiguration: "/nonexistent/resolv.conf", hostsFile: "/nonexistent/hosts")
        connector.connect(to: .init(host: "unknown.invalid", port: 80), timeout: .milliseconds(200), outcome.set)
        let error = try #require(outcome.wait(loop).failure)
        #expect(error.kind == .timedOut || error.kind == .resolution)
    }

    @Test("does not delay an attempt beyond its timeout")
    func silentServer() throws {
        let server = try FakeNameServer([:], isSilent: true)
        let connector = Connector(
            loop: loop, resolverConfiguration: server.configurationFile, hostsFile: server.hostsFile)
        let outcome = Outcome()
        connector.connect(to: .init(host: "backend.test", port: 80), timeout: .milliseconds(50), outcome.set)
        let error = try #require(outcome.wait(loop).failure)
        #expect(error.kind == .timedOut)
        #expect(error.message.contains("no name server gave an address of backend.test"))
    }

    @Test("gives a connector the addresses of a name, except those that it refuses")
    func throughConnector() throws {
        let server = try FakeNameServer(
            ["metadata.test": .init(v4: [[169, 254, 169, 254]])], hosts: "127.0.0.1 backend.test\n")
        let connector = Connector(
            loop: loop, resolverConfiguration: server.configurationFile, hostsFile: server.hostsFile)
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { _ in }
        let good = Outcome()
        connector.connect(to: .init(host: "backend.test", port: listener.tcp.port), timeout: .seconds(10), good.set)
        #expect(throws: Never.self) { try good.wait(loop).get() }
        let refused = Outcome()
        connector.connect(
            to: .init(host: "metadata.test", port: 80, addresses: AddressGuard(.metadata)), timeout: .seconds(10),
            refused.set)
        let error = try #require(refused.wait(loop).failure)
        #expect(error.kind == .forbiddenAddress)
        #expect(error.message.contains("169.254.169.254"))
    }

    @Test("has no socket open before the first name and after the last answer")
    func laziness() async {
        await #expect(processExitsWith: .success) { try ExitTestBody.run(ResolverTests.keepNothingOpen) }
    }

    private static func keepNothingOpen() throws {
        let loop = try EventLoop()
        let server = try FakeNameServer(["a.test": .init(v4: [[127, 0, 0, 1]])])
        let before = Descriptors.socketCount
        let resolver = Resolver(loop: loop, server)
        #expect(Descriptors.socketCount == before)
        var isDone = false
        resolver.resolve("a.test") { _ in isDone = true }
        loop.runUntil { isDone }
        #expect(Descriptors.socketCount == before)
        withExtendedLifetime(resolver) {}
    }

    private func ask(_ name: String, _ server: FakeNameServer) -> Result<[IPAddress], TransportError> {
        Resolver(loop: loop, server).ask(name, loop)
    }

    private func ask(_ name: String, _ resolver: Resolver) -> Result<[IPAddress], TransportError> {
        resolver.ask(name, loop)
    }
}
