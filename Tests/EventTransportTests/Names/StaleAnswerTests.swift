import Support
import Testing

@testable import EventTransport

/// That a name whose TTL has ended delays and fails nobody.
@Suite("An answer whose TTL has ended")
final class StaleAnswerTests {
    private static let patient = "options timeout:30 attempts:5\n"
    private static let (one, two) = (
        FakeNameServer.Entry(v4: [[127, 0, 0, 1]]), FakeNameServer.Entry(v4: [[127, 0, 0, 2]])
    )

    private let loop: EventLoop
    private let counts = NameCounts()

    init() throws { loop = try EventLoop() }

    deinit { loop.finish() }

    /// A resolver that knows a.test as 127.0.0.1 for 60 s.
    private func resolver(_ server: FakeNameServer, isChosenByApp: Bool = false) throws -> Resolver {
        let resolver = Resolver(loop: loop, server, counts)
        resolver.resolve("a.test", isChosenByApp: isChosenByApp) { _ in }
        loop.runUntil { counts.snapshot.found == 1 }
        #expect(try resolver.known("a.test", isChosenByApp: isChosenByApp) == ["127.0.0.1"])
        return resolver
    }

    @Test("serves while the name is looked up, without a delay", arguments: [false, true])
    func serves(isChosenByApp: Bool) throws {
        let server = try FakeNameServer(["a.test": Self.one], options: Self.patient)
        let resolver = try resolver(server, isChosenByApp: isChosenByApp)
        server.set("a.test", Self.two)
        loop.advance(by: .seconds(61))
        #expect(try resolver.known("a.test", isChosenByApp: isChosenByApp) == ["127.0.0.1"])
        #expect(try resolver.known("a.test", isChosenByApp: isChosenByApp) == ["127.0.0.1"])
        loop.runUntil { counts.snapshot.found == 2 }
        #expect(try resolver.known("a.test", isChosenByApp: isChosenByApp) == ["127.0.0.2"])
        #expect(server.questions.count == 4)
        #expect(counts.snapshot == .init(found: 2, missing: 0, failed: 0, hits: 2, stale: 2))
    }

    @Test("is replaced by itself if a name of the configuration is in use")
    func refreshed() throws {
        let server = try FakeNameServer(["a.test": Self.one], options: Self.patient)
        let resolver = try resolver(server)
        server.set("a.test", Self.two)
        loop.advance(by: .seconds(60))
        loop.runUntil { counts.snapshot.found == 2 }
        #expect(try resolver.known("a.test") == ["127.0.0.2"])
        #expect(counts.snapshot.stale == 0)
    }

    @Test("is left alone if nobody uses the name any more")
    func unused() throws {
        let server = try FakeNameServer(["a.test": Self.one], options: Self.patient)
        let resolver = try resolver(server)
        server.set("a.test", Self.two)
        loop.advance(by: .seconds(301))
        for _ in 0..<3 {
            loop.nextTurn {}
            loop.runTurn()
        }
        #expect(server.questions.count == 2)
        // The next caller gets the new answer.
        #expect(try resolver.ask("a.test", loop).get().map(\.description) == ["127.0.0.2"])
    }

    @Test("serves for an hour if the servers fail, which are asked every 10 s", arguments: [2, 5] as [UInt8])
    func failing(code: UInt8) throws {
        let server = try FakeNameServer(["a.test": Self.one], options: Self.patient)
        let resolver = try resolver(server)
        server.set("a.test", .init(code: code))
        loop.advance(by: .seconds(60))
        for failures in 1...3 {
            loop.runUntil { counts.snapshot.failed == failures }
            #expect(try resolver.known("a.test") == ["127.0.0.1"])
            loop.advance(by: .seconds(10))
        }
        loop.runUntil { counts.snapshot.failed == 4 }
        #expect(counts.snapshot.stale == 3)
        // A server that is well again is heard within 10 s.
        server.set("a.test", Self.two)
        loop.advance(by: .seconds(10))
        loop.runUntil { counts.snapshot.found == 2 }
        #expect(try resolver.known("a.test") == ["127.0.0.2"])
        server.set("a.test", .init(code: code))
        loop.advance(by: .seconds(60 + 3600))
        #expect(try #require(resolver.ask("a.test", loop).failure).message.contains("gave no usable answer"))
    }

    @Test("serves after 1 s if it is old and the servers do not answer, and at once from then on")
    func silent() throws {
        let server = try FakeNameServer(["a.test": Self.one], options: Self.patient)
        let resolver = try resolver(server)
        server.set("a.test", .silent)
        loop.advance(by: .seconds(600))
        var answers: [Resolver.Answer] = []
        for _ in 0..<2 { resolver.resolve("a.test") { answers.append($0) } }
        #expect(answers.isEmpty)
        loop.runUntil { server.questions.count == 4 }
        loop.advance(by: .seconds(1))
        loop.runUntil { answers.count == 2 }
        // The look-up goes on, and its addresses would follow.
        #expect(try answers[1].get() == .init(addresses: [.loopbackV4], isWhole: false))
        #expect(try resolver.known("a.test") == ["127.0.0.1"])
        #expect(counts.snapshot == .init(found: 1, missing: 0, failed: 0, hits: 1, stale: 3))
    }

    @Test("is followed by the new addresses, if those come late")
    func lateAnswer() throws {
        let server = try FakeNameServer(["a.test": Self.one], options: Self.patient)
        let resolver = try resolver(server)
        let slow = try FakeNameServer(["a.test": Self.two], lateQuestion: "a.test A")
        try server.replaceConfiguration("nameserver 127.0.0.1:\(slow.port)\n\(Self.patient)")
        loop.advance(by: .seconds(600))
        var answers: [Resolver.Answer] = []
        resolver.resolve("a.test") { answers.append($0) }
        loop.runUntil { slow.questions.count == 2 }
        loop.advance(by: .seconds(1))
        loop.runUntil { answers.count == 1 }
        try slow.answerLate()
        loop.runUntil { answers.count == 2 }
        #expect(try answers.map { try $0.get().addresses.map(\.description) } == [["127.0.0.1"], ["127.0.0.2"]])
        #expect(try answers[1].get().isWhole)
    }

    @Test("ends at once if the servers say that the name is gone", arguments: [nil, FakeNameServer.Entry()])
    func gone(entry: FakeNameServer.Entry?) throws {
        let server = try FakeNameServer(["a.test": Self.one], options: Self.patient)
        let resolver = try resolver(server)
        server.set("a.test", entry)
        loop.advance(by: .seconds(60))
        loop.runUntil { counts.snapshot.missing == 1 }
        #expect(resolver.ask("a.test", loop).failure?.kind == .resolution)
        // That is not kept.
        server.set("a.test", Self.two)
        #expect(try resolver.ask("a.test", loop).get().map(\.description) == ["127.0.0.2"])
    }

    @Test("serves if the servers say that the name is gone, but only for the kind of address for which none answers")
    func halfGone() throws {
        let loopback = [Array(repeating: 0, count: 15) + [1]] as [[UInt8]]
        let server = try FakeNameServer(
            ["a.test": .init(v4: [[127, 0, 0, 1]], v6: loopback)], options: "options timeout:1 attempts:1\n")
        let resolver = Resolver(loop: loop, server, counts)
        #expect(try resolver.ask("a.test.", loop).get().count == 2)
        // "No such name" for IPv6, and silence for IPv4.
        server.set("a.test", .init(v4: nil, v6: [], code: 3))
        loop.advance(by: .seconds(60))
        loop.runUntil { counts.snapshot.missing == 1 }
        #expect(try resolver.known("a.test.") == ["127.0.0.1"])
        server.set("a.test", nil)
        loop.advance(by: .seconds(10))
        loop.runUntil { counts.snapshot.missing == 2 }
        #expect(resolver.ask("a.test.", loop).failure?.kind == .resolution)
    }

    @Test("serves if too many other names of apps are being looked up")
    func tooMany() throws {
        let server = try FakeNameServer(
            ["a.test": Self.one].merging((0..<100).map { ("n\($0).test", .silent) }) { first, _ in first },
            options: Self.patient)
        let resolver = try resolver(server, isChosenByApp: true)
        loop.advance(by: .seconds(600))
        for number in 0..<Resolver.chosenLimit { resolver.resolve("n\(number).test", isChosenByApp: true) { _ in } }
        #expect(try resolver.known("a.test", isChosenByApp: true) == ["127.0.0.1"])
    }

    @Test("is not used when the hosts file has the name by then, and is looked up at once with other name servers")
    func changedFiles() throws {
        let server = try FakeNameServer(["a.test": Self.one, "b.test": Self.one], options: Self.patient)
        let other = try FakeNameServer(["a.test": Self.two, "b.test": Self.two])
        let resolver = try resolver(server)
        try server.replaceHosts("127.0.0.9 a.test\n")
        #expect(try resolver.known("a.test") == ["127.0.0.9"])
        try server.replaceHosts("")
        #expect(try resolver.known("a.test") == ["127.0.0.1"])
        try server.replaceConfiguration("nameserver 127.0.0.1:\(other.port)\n")
        #expect(try resolver.ask("b.test", loop).get().map(\.description) == ["127.0.0.2"])
        loop.runUntil { counts.snapshot.found == 3 }
        #expect(try resolver.known("a.test") == ["127.0.0.2"])
    }

    @Test("is looked up at the next use if resolv.conf names other servers, although a look-up has just failed")
    func mendedServers() throws {
        let server = try FakeNameServer(["a.test": Self.one], options: Self.patient)
        let other = try FakeNameServer(["a.test": Self.two])
        let resolver = try resolver(server)
        server.set("a.test", .init(code: 2))
        loop.advance(by: .seconds(60))
        loop.runUntil { counts.snapshot.failed == 1 }
        #expect(try resolver.known("a.test") == ["127.0.0.1"])
        #expect(counts.snapshot.failed == 1)
        try server.replaceConfiguration("nameserver 127.0.0.1:\(other.port)\n")
        // It serves while the other server is asked.
        #expect(try resolver.known("a.test") == ["127.0.0.1"])
        loop.runUntil { counts.snapshot.found == 2 }
        #expect(try resolver.known("a.test") == ["127.0.0.2"])
    }

    @Test("is found again by the same search domains, and by the first that has the name by then")
    func searched() throws {
        let server = try FakeNameServer(
            ["app.b.test": Self.one, "app": .init(v4: [[127, 0, 0, 8]])],
            options: "search a.test b.test\noptions ndots:2\n")
        let resolver = Resolver(loop: loop, server, counts)
        #expect(try resolver.ask("app", loop).get().map(\.description) == ["127.0.0.1"])
        #expect(try resolver.ask("app.", loop).get().map(\.description) == ["127.0.0.8"])
        #expect(try resolver.known("app") == ["127.0.0.1"])
        #expect(try resolver.known("APP.") == ["127.0.0.8"])
        #expect(server.questions.map(\.name).filter { $0.contains("a.test") }.count == 2)
        server.set("app.a.test", Self.two)
        server.set("app", nil)
        loop.advance(by: .seconds(60))
        loop.runUntil { counts.snapshot.found == 3 && counts.snapshot.missing == 1 }
        #expect(try resolver.known("app") == ["127.0.0.2"])
        // With two dots, the name comes first as it stands.
        server.set("x.y.z", Self.one)
        #expect(try resolver.ask("x.y.z", loop).get().map(\.description) == ["127.0.0.1"])
        #expect(server.questions.map(\.name).filter { $0.hasPrefix("x.") } == ["x.y.z", "x.y.z"])
    }

    @Test("is checked like any other, and so is the one that replaces it")
    func guarded() throws {
        let server = try FakeNameServer(["a.test": Self.one], options: Self.patient)
        let own = OwnIdentity()
        let connector = Connector(
            loop: loop, avoiding: own, counting: counts, resolverConfiguration: server.configurationFile,
            hostsFile: server.hostsFile)
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { _ in }
        func connect(_ refused: AddressGuard.Refused) -> Result<StreamConnection, TransportError> {
            let outcome = Outcome()
            connector.connect(
                to: .init(host: "a.test", port: listener.tcp.port, addresses: AddressGuard(refused)),
                timeout: .seconds(600), outcome.set)
            return outcome.wait(loop)
        }
        #expect(throws: Never.self) { try connect(.metadata).get() }
        #expect(connect(.nonPublic).failure?.kind == .forbiddenAddress)
        own.add(listener.tcp)
        #expect(connect(.metadata).failure?.kind == .ownListener)
        server.set("a.test", .init(v4: [[169, 254, 169, 254]]))
        loop.advance(by: .seconds(60))
        loop.runUntil { counts.snapshot.found == 2 }
        #expect(connect(.metadata).failure?.kind == .forbiddenAddress)
    }

    @Test("waits for the other kind of address if the first has only refused ones")
    func refusedKind() throws {
        let server = try FakeNameServer(
            ["a.test": .init(v4: [[127, 0, 0, 1]], v6: [[0xfe, 0x80] + Array(repeating: 0, count: 14)])],
            options: Self.patient, lateQuestion: "a.test A")
        let connector = Connector(
            loop: loop, resolverConfiguration: server.configurationFile, hostsFile: server.hostsFile)
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { _ in }
        let outcome = Outcome()
        connector.connect(
            to: .init(host: "a.test", port: listener.tcp.port, addresses: AddressGuard(.metadata)),
            timeout: .seconds(600), outcome.set)
        loop.adopt()
        loop.runTurn()
        try server.answerLate()
        #expect(try outcome.wait(loop).get().peer == listener.tcp)
    }
}
