import Testing

@testable import EventTransport

@Suite("The next address of a race")
struct UntriedAddressesTests {
    private static func addresses(_ list: String) -> [SocketAddress] {
        list.split(separator: " ").compactMap { IPAddress(literal: String($0)).map { SocketAddress($0, port: 80) } }
    }

    private static func order(_ untried: UntriedAddresses, avoiding avoided: String = "") -> String {
        var (untried, order) = (untried, [String]())
        let avoided = addresses(avoided)
        while let next = untried.takeNext(avoiding: avoided.contains) { order.append(next.ip.description) }
        return order.joined(separator: " ")
    }

    @Test(
        "is of the other kind if there is one, and in the order of the resolver",
        arguments: [
            ("", "", ""), ("1.1.1.1", "", "1.1.1.1"), ("::1 ::2 1.1.1.1 2.2.2.2", "", "::1 1.1.1.1 ::2 2.2.2.2"),
            ("1.1.1.1 2.2.2.2 ::1", "", "1.1.1.1 ::1 2.2.2.2"), ("::1 ::2 ::3 1.1.1.1", "", "::1 1.1.1.1 ::2 ::3"),
            ("::1 ::1 1.1.1.1 ::1", "", "::1 1.1.1.1"),
        ])
    func alternating(given: String, avoided: String, expected: String) {
        var untried = UntriedAddresses()
        untried.add(Self.addresses(given))
        #expect(Self.order(untried, avoiding: avoided) == expected)
    }

    @Test(
        "is one to avoid only if no other is left",
        arguments: [
            ("::1 ::2 1.1.1.1", "::1", "::2 1.1.1.1 ::1"),
            ("::1 1.1.1.1 2.2.2.2", "::1 1.1.1.1", "2.2.2.2 ::1 1.1.1.1"),
            ("::1 1.1.1.1", "::1 1.1.1.1", "::1 1.1.1.1"), ("1.1.1.1 2.2.2.2", "1.1.1.1", "2.2.2.2 1.1.1.1"),
        ])
    func avoiding(given: String, avoided: String, expected: String) {
        var untried = UntriedAddresses()
        untried.add(Self.addresses(given))
        #expect(Self.order(untried, avoiding: avoided) == expected)
    }

    @Test("may be one that was added later, but never one that was tried")
    func late() {
        var untried = UntriedAddresses()
        untried.add(Self.addresses("::1 ::2 ::3"))
        #expect(untried.takeNext { _ in false } == Self.addresses("::1").first)
        untried.add(Self.addresses("::1 1.1.1.1 ::2"))
        #expect(Self.order(untried) == "1.1.1.1 ::2 ::3")
        #expect(!untried.isEmpty)
    }

    @Test("is not avoided any more after 30 s or a success, and at most 256 are")
    func failed() throws {
        let failed = FailedAddresses()
        let now = MonotonicInstant.now
        let all = (1...FailedAddresses.limit + 1).map { SocketAddress(.loopbackV4, port: UInt16($0)) }
        failed.insert(all[0], now)
        #expect(failed.contains(all[0], now + .seconds(29)) && !failed.contains(all[0], now + .seconds(30)))
        failed.remove(all[0])
        #expect(!failed.contains(all[0], now))
        for (index, address) in all.enumerated() { failed.insert(address, now + .milliseconds(index)) }
        #expect(!failed.contains(all[0], now + .seconds(1)))
        #expect(all.dropFirst().allSatisfy { failed.contains($0, now + .seconds(1)) })
    }
}
