import Testing
import TokenManager

@Suite struct OutageTests {
    @Test(
        "The pause doubles from a second to a minute, plus or minus a quarter",
        arguments: [
            (1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 60), (8, 60), (100, 60), (Int.max - 1, 60),
        ])
    func pause(failures: Int, seconds: Double) {
        let previous = Outage(error: Sample.error, failures: failures - 1, retryAt: Sample.start)
        for (random, factor) in [(0.0, 0.75), (0.5, 1.0), (0.999_999, 1.25)] {
            let outage = Outage(after: Sample.failure, previous: previous, now: Sample.start, random: random)
            let pause = (outage.retryAt - Sample.start) / .seconds(1)
            #expect(abs(pause - seconds * factor) < 0.001)
            #expect(outage.failures == failures)
        }
    }

    @Test(
        "Retry-After lengthens the pause to at most five minutes, and never shortens it",
        arguments: [(0, 1), (1, 1), (7, 7), (300, 300), (301, 300), (86_400, 300)])
    func retryAfter(asked: Int, seconds: Int) {
        let failure = FetchFailure(error: Sample.error, retryAfter: .seconds(asked))
        let outage = Outage(after: failure, previous: nil, now: Sample.start, random: 0.5)
        #expect(outage.retryAt == Sample.start + .seconds(seconds))
    }

    @Test(
        "A definitive refusal is remembered for five seconds, each further one twice as long, up to five minutes",
        arguments: [
            (1, 5), (2, 10), (3, 20), (4, 40), (5, 80), (6, 160), (7, 300), (8, 300), (1000, 300), (Int.max - 1, 300),
        ])
    func refusals(count: Int, seconds: Int) {
        let failure = FetchFailure(error: Sample.error, isDefinitive: true)
        let previous = Outage(error: Sample.error, failures: 5, refusals: count - 1, retryAt: Sample.start)
        let outage = Outage(after: failure, previous: previous, now: Sample.start, random: 0.9)
        #expect(outage.retryAt == Sample.start + .seconds(seconds))
        #expect(outage.failures == 5)
        #expect(outage.refusals == count)
    }

    @Test func `Another failure in between does not forget the refusals, and Retry-After lengthens their pause`() {
        let asking = FetchFailure(error: Sample.error, isDefinitive: true, retryAfter: .seconds(9))
        let first = Outage(after: asking, previous: nil, now: Sample.start, random: 0)
        #expect(first.retryAt == Sample.start + .seconds(9))
        let between = Outage(after: Sample.failure, previous: first, now: Sample.start, random: 0)
        let second = Outage(after: asking, previous: between, now: Sample.start, random: 0)
        #expect(second.retryAt == Sample.start + .seconds(10))
    }

    @Test func `Failures of this process never lengthen the pause, however many there are`() {
        let failure = FetchFailure(error: Sample.error, isLocal: true)
        let first = Outage(after: failure, previous: nil, now: Sample.start, random: 0.9)
        #expect(first.retryAt == Sample.start + .seconds(1))
        #expect(first.failures == 0)
        let later = Outage(after: failure, previous: Sample.outage(5, until: 0), now: Sample.start, random: 0.9)
        #expect(later.retryAt == Sample.start + .seconds(1))
        #expect(later.failures == 5)
    }

    @Test func `A caller that asks during the pause learns how much of it is left`() {
        let outage = Sample.outage(until: 10)
        #expect(outage.error(at: Sample.at(4)).retryAfter == .seconds(6))
        #expect(outage.error(at: Sample.at(11)).retryAfter == .zero)
    }
}
