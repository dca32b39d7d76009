import EventTransport
import Testing

@testable import ProxyServer

@Suite struct UnitTunnelDeadlineTests {
    private func instant(_ seconds: Int64) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
    }

    private func deadline() -> TunnelDeadline {
        TunnelDeadline(idle: 10_000_000_000, whole: 100_000_000_000, at: instant(0))
    }

    @Test("A tunnel is idle when nothing has moved for so long")
    func idle() {
        var deadline = deadline()
        #expect(deadline.instant == instant(10))
        deadline.moved(at: instant(4))
        #expect(deadline.look(at: instant(10), left: 0) == .goesOn)
        #expect(deadline.instant == instant(14))
        #expect(deadline.look(at: instant(14), left: 0) == .isIdle)
    }

    @Test("A receiver that has taken some of the bytes counts as progress, and one that has taken none does not")
    func taking() {
        var deadline = deadline()
        deadline.blocked(untaken: 1000)
        #expect(deadline.look(at: instant(10), left: 999) == .goesOn)
        #expect(deadline.look(at: instant(20), left: 500) == .goesOn)
        #expect(deadline.look(at: instant(30), left: 500) == .isIdle)
    }

    @Test("Nothing extends the time of the whole tunnel")
    func whole() {
        var deadline = deadline()
        deadline.moved(at: instant(95))
        #expect(deadline.instant == instant(100))
        deadline.blocked(untaken: 9)
        #expect(deadline.look(at: instant(100), left: 1) == .isOver)
    }
}
