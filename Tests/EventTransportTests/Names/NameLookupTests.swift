import Support
import Testing

@testable import EventTransport

/// What goes to and fro between a look-up and name servers.
@Suite("A look-up")
final class NameLookupTests {
    /// So long that a test which waited for it would fail.
    private static let patient = "options timeout:30 attempts:5\n"

    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit { loop.finish() }

    private static func addresses(_ count: Int) -> [[UInt8]] {
        (0..<count).map { [127, 1, UInt8($0 / 250), UInt8($0 % 250 + 1)] }
    }

    @Test("accepts 40 addresses in one EDNS datagram")
    func many() throws {
        let server = try FakeNameServer(["many.test": .init(v4: Self.addresses(40))])
        #expect(try Resolver(loop: loop, server).ask("many.test", loop).get().count == 40)
        #expect(server.questions.allSatisfy { $0.size == 1232 && !$0.isTCP })
    }

    @Test("repeats the question over TCP if an answer is truncated")
    func truncated() throws {
        let server = try FakeNameServer(["huge.test": .init(v4: Self.addresses(100))])
        // More than 64 of a kind are not taken.
        #expect(try Resolver(loop: loop, server).ask("huge.test", loop).get().count == 64)
        #expect(server.questions.filter(\.isTCP).map(\.text) == ["huge.test A"])
    }

    @Test("asks old servers without EDNS, and over TCP if an answer is too large", arguments: [1, 40])
    func oldServer(count: Int) throws {
        let server = try FakeNameServer(
            [
                "four.test": .init(v4: Self.addresses(count)),
                "six.test": .init(v6: [Array(repeating: 0, count: 15) + [1]]),
            ], knowsEDNS: false)
        let resolver = Resolver(loop: loop, server)
        #expect(try resolver.ask("four.test", loop).get().count == count)
        #expect(try resolver.ask("six.test", loop).get().count == 1)
    }

    @Test("uses another port and another id each time")
    func ports() throws {
        let names = (0..<32).map { "n\($0).test" }
        let server = try FakeNameServer(
            Dictionary(names.map { ($0, .init(v4: [[127, 0, 0, 1]])) }) { first, _ in first })
        let resolver = Resolver(loop: loop, server)
        for name in names { _ = try resolver.ask(name, loop).get() }
        #expect(server.questions.count == 64)
        #expect(Set(server.questions.map(\.port)).count > 16)
        #expect(Set(server.questions.map(\.id)).count > 32)
        #expect(Set(server.questions.map(\.name)) == Set(names))
    }

    @Test(
        "waits only briefly for one kind of address when it has the other",
        arguments: [
            FakeNameServer.Entry(v4: [[127, 0, 0, 4]], v6: nil),
            FakeNameServer.Entry(v4: nil, v6: [Array(repeating: 0, count: 15) + [1]]),
        ])
    func oneKindOnly(entry: FakeNameServer.Entry) throws {
        let server = try FakeNameServer(["half.test": entry], options: Self.patient)
        let resolver = Resolver(loop: loop, server)
        var answers: [Resolver.Answer] = []
        resolver.resolve("half.test") { answers.append($0) }
        loop.runUntil { !answers.isEmpty }
        #expect(try answers[0].get().addresses.count == 1)
        #expect(try answers[0].get().isWhole == false)
        // Later callers do not wait either, and the look-up gives up the other kind at last.
        resolver.resolve("half.test") { answers.append($0) }
        #expect(answers.count == 2)
        loop.advance(by: .seconds(2))
        loop.runUntil { answers.count == 4 }
        #expect(try answers[3].get() == Resolver.Found(addresses: answers[0].get().addresses, isWhole: true))
    }

    @Test("reports IPv6 addresses at once, and IPv4 addresses that come later")
    func lateIPv4() throws {
        let server = try FakeNameServer(
            ["both.test": .init(v4: [[127, 0, 0, 4]], v6: [Array(repeating: 0, count: 15) + [1]])],
            options: Self.patient, lateQuestion: "both.test A")
        let resolver = Resolver(loop: loop, server)
        var answers: [Resolver.Answer] = []
        resolver.resolve("both.test") { answers.append($0) }
        loop.runUntil { !answers.isEmpty }
        #expect(try answers[0].get() == Resolver.Found(addresses: [.loopbackV6], isWhole: false))
        try server.answerLate()
        loop.runUntil { answers.count == 2 }
        #expect(try answers[1].get().addresses.map(\.description) == ["::1", "127.0.0.4"])
        #expect(try answers[1].get().isWhole)
    }

    @Test("goes on when its callers have enough, so that the whole answer is kept")
    func enough() throws {
        let server = try FakeNameServer(
            ["both.test": .init(v4: [[127, 0, 0, 4]], v6: [Array(repeating: 0, count: 15) + [1]])],
            options: Self.patient, lateQuestion: "both.test A")
        let counts = NameCounts()
        let resolver = Resolver(loop: loop, server, counts)
        var answers: [Resolver.Answer] = []
        let wait = resolver.resolve("both.test") { answers.append($0) }
        loop.runUntil { !answers.isEmpty }
        wait?.cancel()
        try server.answerLate()
        loop.runUntil { counts.snapshot.found == 1 }
        #expect(answers.count == 1)
        #expect(try resolver.known("both.test") == ["::1", "127.0.0.4"])
    }

    @Test("waits for one kind of address if the name has none of the other")
    func lateKind() throws {
        let server = try FakeNameServer(
            ["half.test": .init(v4: [[127, 0, 0, 4]])], options: Self.patient, lateQuestion: "half.test A")
        var answer: Resolver.Answer?
        let resolver = Resolver(loop: loop, server)
        resolver.resolve("half.test") { answer = $0 }
        loop.adopt()
        loop.runTurn()
        try server.answerLate()
        loop.runUntil { answer != nil }
        #expect(try #require(answer).get().addresses.map(\.description) == ["127.0.0.4"])
    }

    @Test("asks the next server when one fails or times out, and asks that one first from then on")
    func failover() throws {
        let silent = try FakeNameServer(isSilent: true)
        let failing = try FakeNameServer(["a.test": .init(code: 2), "b.test": .init(code: 5)])
        let good = try FakeNameServer(["a.test": .init(v4: [[127, 0, 0, 1]]), "b.test": .init(v4: [[127, 0, 0, 2]])])
        try good.replaceConfiguration(
            [silent, failing, good].map { "nameserver 127.0.0.1:\($0.port)\n" }.joined() + "options timeout:1\n")
        let resolver = Resolver(loop: loop, good)
        #expect(try resolver.ask("a.test", loop).get().map(\.description) == ["127.0.0.1"])
        #expect(try resolver.ask("b.test", loop).get().map(\.description) == ["127.0.0.2"])
        #expect(Set(silent.questions.map(\.name)) == ["a.test"])
    }

    @Test(
        "reports that the servers failed", arguments: [2, 4, 5] as [UInt8])
    func failed(code: UInt8) throws {
        let server = try FakeNameServer(["a.test": .init(code: code)])
        let error = try #require(Resolver(loop: loop, server).ask("a.test", loop).failure)
        #expect(error.kind == .resolution)
        #expect(
            error.message
                == "the name servers (127.0.0.1:\(server.port)) gave no usable answer for a.test: they failed, "
                + "refused or cannot be reached; check /etc/resolv.conf")
    }

    @Test("reports that the servers did not answer")
    func silent() throws {
        let server = try FakeNameServer(options: "options timeout:1 attempts:1\n", isSilent: true)
        let error = try #require(Resolver(loop: loop, server).ask("a.test", loop).failure)
        #expect(
            error.message == "the name servers (127.0.0.1:\(server.port)) did not answer in time for a.test; "
                + "check /etc/resolv.conf")
    }

    @Test("follows a configuration that has replaced another")
    func changedConfiguration() throws {
        let first = try FakeNameServer(["a.test": .init(v4: [[127, 0, 0, 1]])])
        let second = try FakeNameServer(["b.test": .init(v4: [[127, 0, 0, 2]])])
        let resolver = Resolver(loop: loop, first)
        #expect(try resolver.ask("a.test", loop).get().map(\.description) == ["127.0.0.1"])
        try first.replaceConfiguration("nameserver 127.0.0.1:\(second.port)\n")
        #expect(try resolver.ask("b.test", loop).get().map(\.description) == ["127.0.0.2"])
        #expect(Set(second.questions.map(\.name)) == ["b.test"])
    }

    @Test("reports that no descriptor is left")
    func noDescriptor() async {
        await #expect(processExitsWith: .success) { try ExitTestBody.run(NameLookupTests.runOutOfDescriptors) }
    }

    private static func runOutOfDescriptors() throws {
        let loop = try EventLoop()
        let server = try FakeNameServer(isSilent: true)
        let resolver = Resolver(loop: loop, server)
        // The files are read now, and not again.
        resolver.resolve("first.test") { _ in }
        loop.adopt()
        loop.runTurn()
        let taken = Descriptors.takeAll()
        let error = try #require(resolver.ask("second.test", loop).failure)
        #expect(error.kind == .descriptorLimit)
        withExtendedLifetime(taken) {}
    }
}
