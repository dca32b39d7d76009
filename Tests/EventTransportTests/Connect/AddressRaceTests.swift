import Glibc
import Support
import Testing

@testable import EventTransport

@Suite("A race between addresses")
final class AddressRaceTests {
    private let loop: EventLoop
    private let failed = FailedAddresses()
    private var winner: SocketAddress?
    private var failures: [AddressRace.Failure]?

    init() throws { loop = try EventLoop() }

    deinit { loop.finish() }

    private static let (one, two) = (address("127.0.0.1"), address("127.0.0.2"))

    private static func address(_ text: String) -> IPAddress { IPAddress(literal: text) ?? .loopbackV6 }

    private func race() -> AddressRace {
        AddressRace(
            loop: loop, failed: failed, won: { [unowned self] in winner = $0.peer },
            lost: { [unowned self] in failures = $0 })
    }

    private func listen(_ ip: IPAddress, _ port: UInt16 = 0) throws -> Listener {
        try Listener(loop: loop, address: SocketAddress(ip, port: port), reusePort: false) { _ in }
    }

    @Test("tries the next address after 250 ms, and avoids the slow one from then on")
    func slow() throws {
        let hung = try HungPort()
        let good = try listen(Self.two, hung.number)
        let slow = SocketAddress(Self.one, port: hung.number)
        let race = race()
        race.add([slow, good.tcp], isLast: true)
        #expect(race.unanswered == [slow])
        loop.adopt()
        loop.advance(by: .milliseconds(250))
        loop.runUntil { winner != nil }
        #expect(winner == good.tcp)
        #expect(failed.contains(slow, loop.now) && !failed.contains(good.tcp, loop.now))
    }

    @Test("tries the next address at once when one fails")
    func fails() throws {
        let closed = try ClosedPort()
        let good = try listen(Self.two, closed.number)
        let bad = SocketAddress(Self.one, port: closed.number)
        let race = race()
        race.add([bad, good.tcp], isLast: true)
        loop.runUntil { winner != nil }
        #expect(winner == good.tcp)
        #expect(failed.contains(bad, loop.now))
    }

    @Test("does not avoid an address that answered in its head start, nor one that answers again")
    func forgives() throws {
        let good = try listen(Self.one)
        failed.insert(good.tcp, loop.now)
        let race = race()
        race.add([good.tcp], isLast: true)
        loop.runUntil { winner != nil }
        #expect(!failed.contains(good.tcp, loop.now))
    }

    @Test("is not lost while further addresses may come, and tries those at once if none is left")
    func late() throws {
        let closed = try ClosedPort()
        let good = try listen(Self.two, closed.number)
        let bad = SocketAddress(Self.one, port: closed.number)
        let race = race()
        race.add([bad], isLast: false)
        loop.runUntil { race.failures.count == 1 }
        #expect(failures == nil && winner == nil)
        race.add([bad, good.tcp], isLast: true)
        loop.runUntil { winner != nil }
        #expect(winner == good.tcp)
    }

    @Test("gives a late address its turn while another is being tried")
    func lateBehindSlow() throws {
        let hung = try HungPort()
        let good = try listen(.loopbackV6, hung.number)
        let slow = SocketAddress(Self.one, port: hung.number)
        let race = race()
        race.add([slow], isLast: false)
        loop.adopt()
        loop.advance(by: .seconds(1))
        race.add([slow, good.tcp], isLast: true)
        loop.runUntil { winner != nil }
        #expect(winner == good.tcp)
    }

    @Test("is lost when all have failed and no others come, and names all failures")
    func lost() throws {
        let closed = try ClosedPort()
        let all = [Self.one, Self.two].map { SocketAddress($0, port: closed.number) }
        let race = race()
        race.add(all, isLast: false)
        loop.runUntil { race.failures.count == 2 }
        #expect(failures == nil)
        race.add([], isLast: true)
        #expect(failures?.map(\.address) == all)
        #expect(failures?.map(\.errno) == [ECONNREFUSED, ECONNREFUSED])
    }

    @Test("tries an address that failed lately last, and first again after 30 s")
    func order() throws {
        let first = try listen(Self.one)
        let second = try listen(Self.two, first.tcp.port)
        failed.insert(first.tcp, loop.now)
        var race = race()
        race.add([first.tcp, second.tcp], isLast: true)
        loop.runUntil { winner != nil }
        #expect(winner == second.tcp)
        winner = nil
        loop.advance(by: .seconds(30))
        race = self.race()
        race.add([first.tcp, second.tcp], isLast: true)
        loop.runUntil { winner != nil }
        #expect(winner == first.tcp)
    }

    @Test("ends before the TLS handshake, whose failure is reported; the next connection goes to another address")
    func handshake() throws {
        var accepted: [IPAddress] = []
        let first = try Listener(loop: loop, address: SocketAddress(Self.one, port: 0), reusePort: false) {
            _ in accepted.append(Self.one)
        }
        let second = try Listener(
            loop: loop, address: SocketAddress(Self.two, port: first.tcp.port), reusePort: false
        ) { _ in accepted.append(Self.two) }
        var overrides = AddressOverrides()
        overrides.add("a.test", port: nil, [Self.one, Self.two])
        let connector = Connector(loop: loop, overrides: overrides)
        let tls = try TLSContext(caFile: TestCertificates.shared.caFile)
        for _ in 0..<2 {
            let outcome = Outcome()
            connector.connect(
                to: .init(host: "a.test", port: second.tcp.port, tls: tls), timeout: .seconds(60), outcome.set)
            #expect(outcome.wait(loop).failure != nil)
        }
        #expect(accepted == [Self.one, Self.two])
    }

    @Test(
        "is followed by one at another address if the first says nothing on its connection", arguments: [true, false])
    func silence(_ isParent: Bool) throws {
        var accepted: [IPAddress] = []
        var kept: [StreamConnection] = []
        let first = try Listener(loop: loop, address: SocketAddress(Self.one, port: 0), reusePort: false) {
            [loop] in
            kept.append(StreamConnection($0, loop: loop))
            accepted.append(Self.one)
        }
        let second = try Listener(
            loop: loop, address: SocketAddress(Self.two, port: first.tcp.port), reusePort: false
        ) { [loop] in
            kept.append(StreamConnection($0, loop: loop))
            accepted.append(Self.two)
        }
        var overrides = AddressOverrides()
        overrides.add("a.test", port: nil, [Self.one, Self.two])
        let connector = Connector(loop: loop, overrides: overrides)
        let tls = try TLSContext(caFile: TestCertificates.shared.caFile)
        let port = second.tcp.port
        for count in 1...2 {
            let outcome = Outcome()
            connector.connect(
                to: isParent
                    ? .init(host: "b.test", port: 443, parent: .init(host: "a.test", port: port, opensTunnel: true))
                    : .init(host: "a.test", port: port, tls: tls), timeout: .seconds(60), outcome.set)
            loop.runUntil { accepted.count == count }
            loop.advance(by: .seconds(60))
            #expect(outcome.wait(loop).failure?.kind == .timedOut)
        }
        #expect(accepted == [Self.one, Self.two])
        for connection in kept { connection.close() }
    }

    @Test("names each address in the error when the time is over, and avoids the one that did not answer")
    func timeout() throws {
        let hung = try HungPort()
        var overrides = AddressOverrides()
        overrides.add("a.test", port: nil, [Self.two, Self.one])
        let outcome = Outcome()
        Connector(loop: loop, overrides: overrides).connect(
            to: .init(host: "a.test", port: hung.number), timeout: .seconds(60), outcome.set)
        // The refusal, after which the second address is tried.
        loop.adopt()
        loop.runTurn()
        loop.advance(by: .seconds(60))
        let error = try #require(outcome.wait(loop).failure)
        #expect(error.kind == .timedOut)
        #expect(
            error.message == "a.test:\(hung.number) did not accept a connection (127.0.0.2:\(hung.number): Connection "
                + "refused, 127.0.0.1:\(hung.number): no answer) within 60.0 seconds")
    }
}
