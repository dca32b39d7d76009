import Testing

@testable import EventTransport

@Suite("A resolver's configuration")
struct ResolverConfigurationTests {
    @Test("holds what resolv.conf says")
    func everything() {
        let read = ResolverConfiguration(
            """
            # nameserver 10.0.0.9
            nameserver 10.0.0.1
            nameserver\t[fd00::1]:5353  trailing
            nameserver 10.0.0.1
            nameserver nonsense
            nameserver 10.0.0.2:0
            nameserver 10.0.0.3:+53
            domain ignored.test
            search a.test. b.test
            options ndots:2 timeout:3 attempts:2 rotate trust-ad
            """, hostName: "machine.elsewhere.test")
        #expect(read.servers.map(\.description) == ["10.0.0.1:53", "[fd00::1]:5353"])
        #expect(read.searchDomains == ["a.test", "b.test"])
        #expect(read.ndots == 2)
        #expect(read.timeout == .seconds(3))
        #expect(read.attempts == 2)
        #expect(read.rotates && read.namesServer)
    }

    @Test(
        "asks this host if the file is missing or names no server", arguments: ["", "nameserver\nsearch\noptions\n"])
    func noServer(text: String) {
        let read = ResolverConfiguration(text, hostName: "machine.own.test")
        #expect(read.servers.map(\.description) == ["127.0.0.1:53"])
        #expect(read.searchDomains == ["own.test"])
        #expect(read.ndots == 1)
        #expect(!read.namesServer)
    }

    @Test(
        "limits the numbers in the file",
        arguments: [
            ("ndots:99 timeout:99 attempts:99", 15, 30, 5), ("ndots:-1 timeout:0 attempts:0", 0, 1, 1),
            ("ndots:x timeout attempts:", 1, 1, 3),
        ])
    func bounds(options: String, ndots: Int, timeout: Int, attempts: Int) {
        let read = ResolverConfiguration("options \(options)", hostName: "")
        #expect(read.ndots == ndots)
        #expect(read.timeout == .seconds(timeout))
        #expect(read.attempts == attempts)
    }

    @Test(
        "completes names with few dots first, and others last",
        arguments: [
            ("short", ["short.a.test", "short.b.test", "short"]),
            ("one.dot", ["one.dot.a.test", "one.dot.b.test", "one.dot"]),
            ("two.dots.x", ["two.dots.x", "two.dots.x.a.test", "two.dots.x.b.test"]), ("short.", ["short"]),
        ])
    func candidates(name: String, expected: [String]) {
        let read = ResolverConfiguration("search a.test b.test\noptions ndots:2", hostName: "")
        #expect(read.candidates(for: name) == expected)
    }

    @Test("completes nothing with the search domain .")
    func rootOnly() {
        #expect(ResolverConfiguration("search .", hostName: "a.b").candidates(for: "short") == ["short"])
    }

    @Test("asks another server first for 30 s after one timed out")
    func order() {
        let servers = (1...3).map { SocketAddress(.loopbackV4, port: $0) }
        var order = ServerOrder()
        let start = MonotonicInstant.now
        func first(after seconds: Int) -> UInt16? {
            order.next(servers, rotates: false, now: start + .seconds(seconds)).first?.port
        }
        order.answered(afterTimeouts: 0, from: 0, now: start)
        #expect(first(after: 0) == 1)
        order.answered(afterTimeouts: 1, from: 0, now: start)
        #expect(first(after: 0) == 2)
        order.answered(afterTimeouts: 1, from: 0, now: start)
        #expect(first(after: 29) == 2)
        order.answered(afterTimeouts: 2, from: 1, now: start + .seconds(29))
        #expect(first(after: 58) == 1)
        order.answered(afterTimeouts: 1, from: 0, now: start + .seconds(58))
        #expect(order.next(servers, rotates: false, now: start + .seconds(59)).map(\.port) == [2, 3, 1])
        #expect(first(after: 88) == 1)
    }

    @Test("asks each server first in turn if the file says rotate")
    func rotation() {
        let servers = (1...2).map { SocketAddress(.loopbackV4, port: $0) }
        var order = ServerOrder()
        let firsts = (0..<4).map { _ in order.next(servers, rotates: true, now: .now).first?.port }
        #expect(firsts == [2, 1, 2, 1])
    }
}
