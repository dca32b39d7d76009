import EventTransport
import ProxyCore
import Testing

@testable import ProxyServer

/// Who is given how much time, by a clock that the test turns; times are in seconds.
@Suite struct UnitDownstreamDeadlineTests {
    private var deadline: DownstreamDeadline
    private let backend: BackendTimeouts

    init() {
        var limits = Limits()
        limits.headTimeout = .seconds(10)
        limits.bodyTimeout = .seconds(20)
        limits.responseTimeout = .seconds(30)
        limits.streamIdleTimeout = .seconds(25)
        limits.idleTimeout = .seconds(70)
        limits.acquireTimeout = .seconds(5)
        deadline = DownstreamDeadline(Timeouts(limits))
        backend = BackendTimeouts(limits)
    }

    private func at(_ second: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: second * 1_000_000_000) }

    private enum Direction {
        case request
        case response
    }

    /// What the machine makes of this time when the receivers have so much left to take.
    private mutating func isOver(at second: Int64, _ untaken: (Direction) -> Int = { _ in 0 }) -> Bool {
        deadline.isOver(at: at(second), untakenRequest: untaken(.request), untakenResponse: untaken(.response))
    }

    @Test("An idle app has idleTimeout, and a head its timeout as a whole")
    mutating func betweenExchanges() {
        deadline.becameIdle(untaken: 0, at: at(0))
        #expect(deadline.instant == at(70))
        deadline.headBegan(at: at(60))
        #expect(deadline.instant == at(70))
        deadline.headBegan(at: at(65))
        #expect(deadline.instant == at(75))
    }

    @Test("A drain can tell a connection that has just become idle from a silent one")
    mutating func justIdle() {
        let second: Int64 = 1_000_000_000
        deadline.becameIdle(untaken: 0, at: at(5))
        let answers = [5, 6, 7].map { deadline.hasJustBecomeIdle(within: second, at: at($0)) }
        #expect(answers == [true, true, false])
        // The rest of earlier responses has no say in it.
        deadline.becameIdle(untaken: 100, at: at(80))
        #expect(deadline.hasJustBecomeIdle(within: second, at: at(80)))
        #expect(!deadline.hasJustBecomeIdle(within: second, at: at(90)))
    }

    @Test("The last request of a drain has its own time, whatever else the app was given")
    mutating func lastRequest() {
        deadline.becameIdle(untaken: 100, at: at(0))
        deadline.lastRequestAwaited(for: 1_000_000_000, at: at(10))
        #expect(deadline.instant == at(11))
    }

    @Test("A request waits acquireTimeout for its credential, and has no deadline while the connector has one")
    mutating func acquiring() {
        deadline.becameIdle(untaken: 0, at: at(0))
        deadline.exchangeBegan()
        deadline.credentialAwaited(at: at(1))
        #expect(deadline.instant == at(6))
        deadline.connectionAwaited()
        #expect(deadline.instant == .distantFuture)
        deadline.requestMoved(received: 0, isComplete: true, isAnswered: false, within: backend, at: at(4))
        #expect(deadline.instant == at(34))
        // The backend has refused the credential, and another is fetched: its time is not the backend's.
        deadline.credentialAwaited(at: at(10))
        #expect(deadline.instant == at(15))
        deadline.requestMoved(received: 0, isComplete: true, isAnswered: false, within: backend, at: at(11))
        #expect(deadline.instant == at(41))
    }

    @Test("A body that comes byte by byte has a timeout for each KiB, and a large piece begins a new one")
    mutating func body() {
        deadline.exchangeBegan()
        deadline.requestMoved(received: 0, isComplete: false, isAnswered: false, within: backend, at: at(0))
        #expect(deadline.instant == at(20))
        for second in 1...19 {
            deadline.requestMoved(
                received: UInt64(second) * 50, isComplete: false, isAnswered: false, within: backend,
                at: at(Int64(second)))
            #expect(deadline.instant == at(20))
        }
        let over1 = isOver(at: 20) { _ in 0 }
        #expect(over1)
        // The next KiB counts from where the last one was full.
        deadline.requestMoved(received: 1024, isComplete: false, isAnswered: false, within: backend, at: at(19))
        #expect(deadline.instant == at(39))
        deadline.requestMoved(received: 2047, isComplete: false, isAnswered: false, within: backend, at: at(30))
        #expect(deadline.instant == at(39))
        deadline.requestMoved(received: 1 << 40, isComplete: false, isAnswered: false, within: backend, at: at(31))
        #expect(deadline.instant == at(51))
    }

    @Test("A body of any size that arrives steadily is never cut")
    mutating func longBody() {
        deadline.exchangeBegan()
        deadline.requestMoved(received: 0, isComplete: false, isAnswered: false, within: backend, at: at(0))
        for second in 1...100_000 {
            #expect(deadline.instant > at(Int64(second)))
            deadline.requestMoved(
                received: UInt64(second) * 100, isComplete: false, isAnswered: false, within: backend,
                at: at(Int64(second)))
        }
    }

    @Test("From the request's end the backend has its timeout for the whole head, whatever else it sends")
    mutating func responseHead() {
        deadline.exchangeBegan()
        deadline.requestMoved(received: 0, isComplete: false, isAnswered: false, within: backend, at: at(0))
        deadline.requestMoved(received: 10, isComplete: true, isAnswered: false, within: backend, at: at(15))
        #expect(deadline.instant == at(45))
        deadline.responseMoved(within: backend, at: at(44))
        #expect(deadline.instant == at(69))
        #expect(deadline.awaited == .backendSending)
        let over2 = isOver(at: 68) { _ in 0 }
        #expect(!over2)
        let over3 = isOver(at: 69) { _ in 0 }
        #expect(over3)
    }

    @Test("A receiver that takes any bytes gets the same timeout again, and one that takes none does not")
    mutating func slowReader() {
        deadline.exchangeBegan()
        deadline.requestMoved(received: 0, isComplete: true, isAnswered: false, within: backend, at: at(0))
        deadline.responseBlocked(untaken: 1000, at: at(10))
        #expect(deadline.instant == at(80))
        #expect(deadline.awaited == .appReading)
        let over4 = isOver(at: 80) { $0 == .response ? 999 : 0 }
        #expect(!over4)
        #expect(deadline.instant == at(150))
        let over5 = isOver(at: 150) { _ in 1 }
        #expect(!over5)
        #expect(deadline.instant == at(220))
        let over6 = isOver(at: 220) { _ in 1 }
        #expect(over6)
        deadline.responseMoved(within: backend, at: at(219))
        #expect(deadline.instant == at(244))
    }

    @Test("A backend that takes a request slowly gets the same timeout again, and then the one for the head")
    mutating func slowBackend() {
        deadline.exchangeBegan()
        deadline.requestMoved(received: 0, isComplete: false, isAnswered: false, within: backend, at: at(0))
        deadline.requestBlocked(untaken: 1000, within: backend, at: at(5))
        #expect(deadline.instant == at(35))
        #expect(deadline.awaited == .backendReading)
        let over7 = isOver(at: 35) { $0 == .request ? 500 : 0 }
        #expect(!over7)
        #expect(deadline.instant == at(65))
        // It took all: the app has its time for the next piece of the body, counted from now.
        deadline.requestMoved(received: 5000, isComplete: false, isAnswered: false, within: backend, at: at(60))
        #expect(deadline.instant == at(80))
        deadline.requestBlocked(untaken: 700, within: backend, at: at(70))
        deadline.requestMoved(received: 9000, isComplete: true, isAnswered: false, within: backend, at: at(90))
        #expect(deadline.instant == at(120))
    }

    @Test("While both directions make progress, the later deadline counts")
    mutating func both() {
        deadline.exchangeBegan()
        deadline.requestMoved(received: 0, isComplete: false, isAnswered: false, within: backend, at: at(0))
        deadline.responseMoved(within: backend, at: at(1))
        #expect(deadline.instant == at(26))
        #expect(deadline.awaited == .backendSending)
        deadline.requestMoved(received: 5000, isComplete: false, isAnswered: false, within: backend, at: at(18))
        #expect(deadline.instant == at(38))
        #expect(deadline.awaited == .appSending)
        // Its end gives a backend that has answered already no more time.
        deadline.requestMoved(received: 5001, isComplete: true, isAnswered: true, within: backend, at: at(20))
        #expect(deadline.instant == at(26))
    }

    @Test("After an exchange idleTimeout counts, even if the backend would have had longer")
    mutating func idleAgain() {
        deadline.exchangeBegan()
        deadline.requestMoved(received: 0, isComplete: true, isAnswered: false, within: backend, at: at(0))
        deadline.responseMoved(within: backend, at: at(50))
        deadline.becameIdle(untaken: 0, at: at(2))
        #expect(deadline.instant == at(72))
        deadline.headBegan(at: at(3))
        #expect(deadline.instant == at(13))
    }

    @Test("Between requests the app has time to read earlier responses, but not during the next one")
    mutating func readerBetweenExchanges() {
        deadline.exchangeBegan()
        deadline.requestMoved(received: 0, isComplete: true, isAnswered: false, within: backend, at: at(0))
        deadline.responseBlocked(untaken: 1000, at: at(10))
        deadline.becameIdle(untaken: 1000, at: at(10))
        let over8 = isOver(at: 80) { _ in 900 }
        #expect(!over8)
        #expect(deadline.instant == at(150))
        deadline.exchangeBegan()
        deadline.requestMoved(received: 0, isComplete: true, isAnswered: false, within: backend, at: at(90))
        #expect(deadline.instant == at(120))
    }
}
