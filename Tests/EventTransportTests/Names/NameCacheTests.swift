import Testing

@testable import EventTransport

@Suite("Kept answers of name servers")
struct NameCacheTests {
    private static let old = [IPAddress.loopbackV4]
    private static let new = [IPAddress.loopbackV6]
    private static let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    private var cache = NameCache()

    private mutating func found(
        _ name: String = "a.test", _ addresses: [IPAddress] = old, ttl: Int? = 30, isChosenByApp: Bool = false,
        at seconds: Double = 0
    ) {
        cache.found(addresses, ttl: ttl, of: name, isChosenByApp: isChosenByApp, now: Self.at(seconds))
    }

    private mutating func use(
        _ name: String = "a.test", isChosenByApp: Bool = false, at seconds: Double
    ) -> NameCache.Use { cache.use(name, isChosenByApp: isChosenByApp, now: Self.at(seconds)) }

    private static func at(_ seconds: Double) -> MonotonicInstant { start + .seconds(seconds) }

    @Test(
        "are fresh for their TTL, but at least 1 s and at most a minute",
        arguments: [(nil, 10), (0, 1), (1, 1), (30, 30), (60, 60), (86400, 60)] as [(Int?, Int)])
    func life(ttl: Int?, seconds: Int) { #expect(NameCache.life(ttl) == .seconds(seconds)) }

    @Test("keep the addresses of a family for which no server answered")
    mutating func half() {
        found("a.test", Self.old + Self.new)
        found("a.test", Self.new, ttl: nil, at: 30)
        #expect(use(at: 31) == .fresh(Self.new + Self.old))
        found("a.test", Self.new, at: 40)
        #expect(use(at: 41) == .fresh(Self.new))
        found("a.test", Self.old, ttl: nil, at: 50)
        #expect(use(at: 51) == .fresh(Self.old + Self.new))
    }

    @Test("serve at once for 10 s more, then only if a look-up fails or takes long, and after an hour not at all")
    mutating func ages() {
        found()
        #expect(use("b.test", at: 0) == .unknown)
        #expect(use(at: 29.9) == .fresh(Self.old))
        #expect(use(at: 30) == .ended(Self.old))
        #expect(use(at: 39.9) == .ended(Self.old))
        #expect(use(at: 40) == .outdated(Self.old))
        #expect(use(at: 3629) == .outdated(Self.old))
        #expect(use(at: 3630) == .unknown)
        #expect(cache.failed("a.test", now: Self.at(3630)) == nil)
    }

    @Test("serve for an hour if look-ups fail, which begin every 10 s")
    mutating func failures() {
        found()
        #expect(cache.failed("b.test", now: Self.at(30)) == nil)
        #expect(cache.failed("a.test", now: Self.at(50)) == Self.old)
        #expect(use(at: 59.9) == .failing(Self.old))
        #expect(use(at: 60) == .ended(Self.old))
        #expect(cache.nextRefresh == Self.at(60))
        #expect(cache.takeDue(9, now: Self.at(60)) == ["a.test"])
        #expect(use(at: 61) == .ended(Self.old))
        #expect(cache.failed("a.test", now: Self.at(3629)) == Self.old)
        #expect(use(at: 3629) == .failing(Self.old))
        #expect(use(at: 3630) == .unknown)
    }

    @Test("serve at once when a look-up takes long")
    mutating func delay() {
        found()
        #expect(use(at: 300) == .outdated(Self.old))
        cache.delayed("a.test")
        #expect(use(at: 301) == .ended(Self.old))
        found(at: 302)
        #expect(use(at: 302) == .fresh(Self.old))
        #expect(use(at: 350) == .outdated(Self.old))
    }

    @Test("give way to newer ones, and to the word that there is no address")
    mutating func replaced() {
        found()
        found("a.test", Self.new, ttl: 5, at: 20)
        #expect(use(at: 24) == .fresh(Self.new))
        #expect(use(at: 25) == .ended(Self.new))
        for _ in 0..<2 {
            #expect(cache.missing("a.test", unanswered: [], now: Self.at(26)) == nil)
            #expect(use(at: 26) == .unknown)
        }
    }

    @Test("of a family outlast the word that the name does not exist, if no server answered for this family")
    mutating func halfGone() {
        found("a.test", Self.new + Self.old)
        #expect(cache.missing("a.test", unanswered: [.v4], now: Self.at(30)) == Self.old)
        #expect(use(at: 31) == .failing(Self.old))
        #expect(cache.takeDue(9, now: Self.at(40)) == ["a.test"])
        // Both families are answered by then.
        #expect(cache.missing("a.test", unanswered: [], now: Self.at(41)) == nil)
        found("a.test", Self.new)
        #expect(cache.missing("a.test", unanswered: [.v4], now: Self.at(30)) == nil)
        #expect(use(at: 31) == .unknown)
        found("a.test", Self.old)
        #expect(cache.missing("a.test", unanswered: [.v4], now: Self.at(30 + 3600)) == nil)
    }

    @Test("are looked up again at their end, until the name has not been used for five minutes")
    mutating func refreshing() {
        found()
        #expect(cache.nextRefresh == Self.at(30))
        #expect(cache.takeDue(9, now: Self.at(29)) == [])
        #expect(cache.takeDue(9, now: Self.at(30)) == ["a.test"])
        #expect(cache.nextRefresh == nil)
        #expect(cache.takeDue(9, now: Self.at(30)) == [])
        found(at: 280)
        #expect(cache.takeDue(9, now: Self.at(310)) == [])
        #expect(cache.nextRefresh == nil)
        found(at: 500)
        _ = use(at: 510)
        #expect(cache.takeDue(9, now: Self.at(530)) == ["a.test"])
    }

    @Test("are looked up again few at a time")
    mutating func fewAtATime() {
        for number in 0..<10 { found("n\(number).test") }
        let (first, second) = (cache.takeDue(7, now: Self.at(30)), cache.takeDue(7, now: Self.at(30)))
        #expect(first.count == 7 && second.count == 3 && Set(first + second).count == 10)
        found()
        #expect(cache.takeDue(0, now: Self.at(30)) == [])
        #expect(cache.nextRefresh == Self.at(30))
    }

    @Test("are not looked up again by themselves if an app chose the name, until a route has the name too")
    mutating func chosen() {
        found(isChosenByApp: true)
        #expect(cache.nextRefresh == nil)
        #expect(use(isChosenByApp: true, at: 31) == .ended(Self.old))
        #expect(cache.failed("a.test", now: Self.at(31)) == Self.old)
        #expect(cache.takeDue(9, now: Self.at(41)) == [])
        #expect(use(isChosenByApp: true, at: 41) == .ended(Self.old))
        #expect(use(at: 42) == .ended(Self.old))
        #expect(cache.takeDue(9, now: Self.at(42)) == ["a.test"])
        // An app's look-up does not take the name away from the route.
        found(isChosenByApp: true, at: 43)
        #expect(cache.nextRefresh == Self.at(73))
    }

    @Test("of names that apps chose are bounded, and never displace those of the configuration")
    mutating func bounded() {
        for number in 0..<100 { found("route\(number).test") }
        for number in 0..<5000 { found("n\(number).test", isChosenByApp: true, at: Double(number) / 1000) }
        for number in 0..<100 { #expect(use("route\(number).test", at: 6) == .fresh(Self.old)) }
        let kept = (0..<5000).filter { use("n\($0).test", isChosenByApp: true, at: 6) != .unknown }
        #expect(kept.count <= NameCache.chosenLimit && kept.count > NameCache.chosenLimit / 2)
        // The ones that were used lately are left.
        #expect(kept == Array(5000 - kept.count..<5000))
    }

    @Test("of names that were used lately are kept when others make room")
    mutating func leastUsed() {
        for number in 0..<NameCache.chosenLimit { found("n\(number).test", isChosenByApp: true) }
        _ = use("n0.test", isChosenByApp: true, at: 1)
        found("new.test", isChosenByApp: true, at: 2)
        #expect(use("n0.test", isChosenByApp: true, at: 3) == .fresh(Self.old))
        #expect(use("new.test", isChosenByApp: true, at: 3) == .fresh(Self.old))
        let lost = (0..<NameCache.chosenLimit).count { use("n\($0).test", isChosenByApp: true, at: 3) == .unknown }
        #expect(lost == NameCache.chosenLimit / 8)
    }

    @Test("are looked up again at once after a failure when the name servers change")
    mutating func mendedServers() {
        found()
        #expect(cache.failed("a.test", now: Self.at(35)) == Self.old)
        #expect(use(at: 36) == .failing(Self.old))
        cache.serversChanged(now: Self.at(37))
        #expect(use(at: 38) == .ended(Self.old))
    }

    @Test("end when the name servers change")
    mutating func otherServers() {
        found()
        found("b.test", isChosenByApp: true)
        cache.serversChanged(now: Self.at(10))
        #expect(use(at: 11) == .ended(Self.old))
        #expect(use("b.test", isChosenByApp: true, at: 11) == .ended(Self.old))
        #expect(cache.takeDue(9, now: Self.at(11)) == ["a.test"])
    }
}
