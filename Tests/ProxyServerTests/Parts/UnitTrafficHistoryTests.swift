import Support
import Testing

@testable import EventTransport
@testable import ProxyServer

@Suite struct UnitTrafficHistoryTests {
    /// Counters of one worker on a loop whose clock the test moves.
    private final class Counted {
        let loop: EventLoop
        var metrics = Metrics(routeCount: 3)
        lazy var history = TrafficHistory(loop: loop, isAlwaysCounting: isAlwaysCounting) { [unowned self] in metrics }
        private let isAlwaysCounting: Bool

        init(isAlwaysCounting: Bool = true) throws {
            loop = try EventLoop()
            self.isAlwaysCounting = isAlwaysCounting
            // Half a second behind the beginning of a step.
            let length = TrafficStep.length.nanoseconds
            loop.advance(by: .nanoseconds(length - loop.now.nanoseconds % length + length / 20))
            _ = history
        }

        /// Requests end, and the access log reports them if there is one.
        func requests(_ count: Int, route: Int? = 0, status: Int = 200) {
            for _ in 0..<count { metrics.count(route: route, status: status, nanoseconds: 2_000_000) }
            if isAlwaysCounting { history.requestsEnded() }
        }

        /// Moves the clock on and lets due timers fire.
        func pass(_ time: Duration) {
            loop.advance(by: time)
            loop.later {}
            loop.runTurn()
        }

        /// The requests in each step of a route, the running one last.
        func steps(_ count: Int, route: Int? = 0) -> [UInt64] {
            let chart = history.look().chart(of: route).map(\.requests)
            return Array((chart.isEmpty ? Array(repeating: 0, count: 60) : chart).suffix(count))
        }
    }

    @Test("Requests stand in the step in which they ended")
    func steps() throws {
        let counted = try Counted()
        counted.requests(3)
        counted.pass(.seconds(10))
        counted.requests(5)
        counted.pass(.seconds(20))
        counted.requests(7)
        #expect(counted.steps(4) == [3, 5, 0, 7])
        #expect(counted.steps(1, route: 1) == [0])
    }

    @Test("Steps older than ten minutes are forgotten")
    func old() throws {
        let counted = try Counted()
        counted.requests(3)
        for _ in 0..<59 { counted.pass(.seconds(10)) }
        #expect(counted.steps(60).first == 3)
        counted.pass(.seconds(10))
        #expect(counted.steps(60).allSatisfy { $0 == 0 })
    }

    @Test("The first look shows what the access log has reported before")
    func before() throws {
        let counted = try Counted()
        counted.requests(4, route: nil, status: 403)
        counted.pass(.seconds(10))
        let look = counted.history.look()
        #expect(look.chart(of: nil).map(\.clientErrors).suffix(2) == [4, 0])
        #expect(look.lastMinute(of: nil).requests == 4)
    }

    @Test("Without an access log, the charts begin with the first look, and again after a pause of ten minutes")
    func withoutLog() throws {
        let counted = try Counted(isAlwaysCounting: false)
        counted.requests(100)
        #expect(counted.steps(1) == [0])
        counted.requests(2)
        counted.pass(.seconds(10))
        counted.requests(3)
        #expect(counted.steps(2) == [2, 3])
        for _ in 0..<70 { counted.pass(.seconds(10)) }
        counted.requests(50)
        #expect(counted.steps(60).allSatisfy { $0 == 0 })
        counted.requests(1)
        #expect(counted.steps(1) == [1])
    }

    @Test("An idle worker is woken once after its last request, and no more")
    func idle() throws {
        let counted = try Counted()
        #expect(!counted.history.isTimerSet)
        counted.requests(1)
        #expect(counted.history.isTimerSet)
        counted.pass(.seconds(10))
        #expect(!counted.history.isTimerSet)
        _ = counted.history.look()
        for _ in 0..<59 {
            counted.pass(.seconds(10))
            #expect(counted.history.isTimerSet)
        }
        counted.pass(.seconds(20))
        #expect(!counted.history.isTimerSet)
    }

    @Test("A worker keeps the steps of a hundred routes, and the next one begins when another has been quiet")
    func manyRoutes() throws {
        let counted = try Counted()
        counted.metrics = Metrics(routeCount: 200)
        for route in 0..<150 { counted.requests(1, route: route) }
        counted.pass(.seconds(10))
        #expect((0..<150).count { counted.steps(60, route: $0).contains(1) } == TrafficHistory.routeLimit)
        for _ in 0..<60 { counted.pass(.seconds(10)) }
        counted.requests(5, route: 149)
        counted.pass(.seconds(10))
        counted.requests(2, route: 149)
        #expect(counted.steps(2, route: 149) == [0, 2])
    }

    @Test("The steps of all workers are added")
    func workers() throws {
        let (one, other) = (try Counted(), try Counted())
        one.requests(3)
        other.requests(4)
        other.requests(5, route: 1)
        var all = one.history.look()
        all.add(other.history.look())
        #expect(all.lastMinute(of: 0).requests == 7)
        #expect(all.lastMinute(of: 1).requests == 5)
    }

    @Test("A quantile is spread evenly within its bucket")
    func quantile() {
        var histogram = Histogram()
        #expect(histogram.quantile(0.95) == nil)
        #expect(histogram.mean == nil)
        for _ in 0..<50 { histogram.observe(2_000_000) }
        for _ in 0..<50 { histogram.observe(20_000_000) }
        #expect(histogram.quantile(0.5) == 2_500_000)
        #expect(histogram.quantile(0.75) == 17_500_000)
        #expect(histogram.mean == 11_000_000)
        for _ in 0..<1_000 { histogram.observe(60_000_000_000) }
        #expect(histogram.quantile(0.95) == 10_000_000_000)
    }
}
