import Support
import Testing

@testable import TokenManager

/// A call that only a bug of our own can make ends the process instead of going on with a wrong state.
@Suite struct LifeTrapTests {
    @Test func `An entry traps if a fetch ends that never started, or a token is used past its end`() async {
        await #expect(processExitsWith: .success) { ExitTestBody.run(LifeTraps.entry) }
    }

    @Test func `The read of a secret traps if it ends, or comes to a place, without having begun`() async {
        await #expect(processExitsWith: .success) { ExitTestBody.run(LifeTraps.reading) }
    }

    @Test func `The write of a secret traps if it ends without having begun, or if its file is read meanwhile`()
        async
    {
        await #expect(processExitsWith: .success) { ExitTestBody.run(LifeTraps.writing) }
    }
}

/// The bodies of the exit tests.
private enum LifeTraps {
    private static let outage = Sample.outage(until: 1)
    private static let token = Sample.token

    static func entry() {
        for state in [EntryState.empty, .fresh(token), .fresh(token, outage), .failed(outage)] {
            expectTrap("fetchSucceeded in \(state)") {
                var entry = state.entry
                _ = entry.fetchSucceeded(Sample.newer)
            }
            expectTrap("fetchFailed in \(state)") {
                var entry = state.entry
                _ = entry.fetchFailed(Sample.failure, now: Sample.at(0), random: 0)
            }
        }
        expectTrap("a fallback past its end") {
            var entry = EntryState.fetching([], fallback: token).entry
            _ = entry.fetchFailed(Sample.failure, now: Sample.at(95), random: 0)
        }
        for state in [EntryState.fresh(token), .refreshing(token)] {
            expectTrap("acquire past the end in \(state)") {
                var entry = state.entry
                _ = entry.acquire(WaiterID(1), now: Sample.at(95), mayFetch: true)
            }
        }
    }

    static func reading() {
        expectTrap("reached") {
            var reading = SecretReading.idle
            reading.reached(.literal("s"))
        }
        expectTrap("ended") {
            var reading = SecretReading.idle
            _ = reading.ended()
        }
    }

    static func writing() {
        let error = TokenError(kind: .secretUnwritable, message: "full")
        for state in [WritingState.underWay(), .outdated(), .lostUnderWay(error)] {
            expectTrap("fileChanged in \(state)") {
                var writing = state.writing
                writing.fileChanged()
            }
        }
        for state in [WritingState.done, .failed(error, Sample.at(0)), .lost(error)] {
            expectTrap("writingEnded in \(state)") {
                var writing = state.writing
                _ = writing.writingEnded(nil, now: Sample.at(0))
            }
        }
    }

    private static func expectTrap(_ what: String, _ body: () -> Void) {
        let text = Trap.text(of: body)
        #expect(text != nil, "\(what) does not trap")
    }
}
