import EventTransport
import Testing
import TokenManager

@testable import ProxyServer

@Suite("The reading of files that a worker uses")
struct UnitRepeatedReadingTests {
    private func at(_ millisecond: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: millisecond * 1_000_000)
    }

    @Test("begins with the first use after a second, one read at a time")
    func interval() {
        var reading = RepeatedReading(after: at(0))
        let actions = [999, 1000, 1500, 2500].map { reading.used(at: at($0)) }
        #expect(actions == [.none, .read, .none, .none])
        let ended = reading.ended()
        let next = reading.used(at: at(2500))
        #expect(ended == .use && next == .read)
    }

    @Test("reports a read that hangs once, and forgets what it brings")
    func hanging() {
        var reading = RepeatedReading(after: at(0))
        let actions = [1000, 10_999, 11_000, 60_000].map { reading.used(at: at($0)) }
        #expect(actions == [.read, .none, .report, .none])
        let ended = reading.ended()
        let next = reading.used(at: at(60_000))
        #expect(ended == .none && next == .read)
    }
}
