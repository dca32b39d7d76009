import Testing

@testable import EventTransport

@Suite("A timer")
struct TimerTests {
    @Test("fires in the order of instants, not of scheduling")
    func order() throws {
        let loop = try EventLoop()
        var fired: [Int] = []
        let timers = (0..<5).map { number in Timer(loop: loop) { fired.append(number) } }
        let start = loop.now
        for (number, milliseconds) in [30, 10, 20, 0, 40].enumerated() {
            timers[number].schedule(at: start + .milliseconds(milliseconds))
        }
        loop.runUntil { fired.count == 5 }
        #expect(fired == [3, 1, 2, 0, 4])
    }

    @Test("never fires early", arguments: [0, 1, 3, 17])
    func precision(milliseconds: Int) throws {
        let loop = try EventLoop()
        let due = MonotonicInstant.now + .milliseconds(milliseconds)
        var firedAt: MonotonicInstant?
        let timer = Timer(loop: loop) { firedAt = MonotonicInstant.now }
        timer.schedule(at: due)
        loop.runUntil { firedAt != nil }
        #expect(try #require(firedAt) >= due)
    }

    @Test("fires only once, for the last schedule")
    func replaced() throws {
        let loop = try EventLoop()
        var count = 0
        var isOver = false
        let timer = Timer(loop: loop) { count += 1 }
        let end = Timer(loop: loop) { isOver = true }
        timer.schedule(after: .milliseconds(1))
        timer.schedule(after: .milliseconds(5))
        timer.schedule(after: .milliseconds(2))
        end.schedule(after: .milliseconds(20))
        loop.runUntil { isOver }
        #expect(count == 1)
    }

    @Test("does not fire after a cancellation, even by another callback of the same turn")
    func cancel() throws {
        let loop = try EventLoop()
        var fired: [String] = []
        let first = Timer(loop: loop) { fired.append("first") }
        var other: Timer?
        let canceller = Timer(loop: loop) {
            fired.append("canceller")
            other?.cancel()
        }
        other = Timer(loop: loop) { fired.append("other") }
        let end = Timer(loop: loop) { fired.append("end") }
        let now = loop.now
        first.schedule(at: now)
        canceller.schedule(at: now + .milliseconds(1))
        other?.schedule(at: now + .milliseconds(2))
        loop.later { while MonotonicInstant.now < now + .milliseconds(3) {} }
        end.schedule(at: now + .milliseconds(6))
        first.cancel()
        loop.runUntil { fired.contains("end") }
        #expect(fired == ["canceller", "end"])
    }

    @Test("fires when the loop's clock is moved on past its instant, not by less")
    func advance() throws {
        let loop = try EventLoop()
        var fired: [Int] = []
        let timers = (1...3).map { hours in
            let timer = Timer(loop: loop) { fired.append(hours) }
            timer.schedule(after: .seconds(3600 * hours))
            return timer
        }
        timers[1].cancel()
        for expected in [[], [], [1], [1], [1, 3]] {
            var hasTurned = false
            loop.later { hasTurned = true }
            loop.runUntil { hasTurned }
            #expect(fired == expected)
            loop.advance(by: .seconds(3000))
        }
    }

    @Test("can schedule itself again and be released from inside its closure")
    func reentrancy() throws {
        let loop = try EventLoop()
        var count = 0
        var timer: Timer?
        timer = Timer(loop: loop) {
            count += 1
            if count < 3 { timer?.schedule(after: .zero) } else { timer = nil }
        }
        timer?.schedule(after: .zero)
        loop.runUntil { timer == nil }
        #expect(count == 3)
    }

    @Test("accepts past instants and delays beyond libevent's range", arguments: [Int64.min / 4, -1, Int64.max / 4])
    func extremes(seconds: Int64) throws {
        let loop = try EventLoop()
        var count = 0
        let timer = Timer(loop: loop) { count += 1 }
        timer.schedule(after: .seconds(seconds))
        var isOver = false
        let end = Timer(loop: loop) { isOver = true }
        end.schedule(after: .milliseconds(5))
        loop.runUntil { isOver }
        #expect(count == (seconds < 0 ? 1 : 0))
    }
}
