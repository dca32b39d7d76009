import ProxyCore
import Testing

/// A call that only a bug of our own can make ends the process instead of going on with a wrong state.
@Suite struct MachineTrapTests {
    @Test("A second head within one exchange traps")
    func secondHead() async {
        await #expect(processExitsWith: .failure) {
            var machine = ExchangeStateMachine.awaitingHead
            _ = machine.headReceived(needsCredential: true)
            _ = machine.headReceived(needsCredential: true)
        }
    }

    @Test("A connection before the credential traps")
    func connectionBeforeCredential() async {
        await #expect(processExitsWith: .failure) {
            var machine = ExchangeStateMachine.acquiringCredential(.first)
            machine.upstreamAcquired()
        }
    }

    @Test("A second final response traps")
    func secondResponse() async {
        await #expect(processExitsWith: .failure) {
            var machine = ExchangeStateMachine.forwarding(.sent, .streaming, .first)
            machine.responseHeadReceived()
        }
    }

    @Test("A response after the end traps")
    func responseAfterEnd() async {
        await #expect(processExitsWith: .failure) {
            var machine = ExchangeStateMachine.finished
            _ = machine.responseEnded()
        }
    }

    @Test("A request on a connection that is to close traps")
    func requestWhileDraining() async {
        await #expect(processExitsWith: .failure) {
            var machine = DownstreamConnectionStateMachine.draining(.sending)
            machine.requestBegan()
        }
    }

    @Test("A second exchange on one upstream connection traps")
    func secondLease() async {
        await #expect(processExitsWith: .failure) {
            var machine = UpstreamConnectionStateMachine.leasedFirst(1)
            _ = machine.leased(to: 2, inTurn: 7)
        }
    }

    @Test("The end of a lease that has ended traps")
    func secondLeaseEnd() async {
        await #expect(processExitsWith: .failure) {
            var machine = UpstreamConnectionStateMachine<Int>.idle(3)
            _ = machine.leaseEnded(.reusable, holdsUnread: false)
        }
    }

    @Test("Closing an upstream connection under its exchange traps")
    func closedUnderExchange() async {
        await #expect(processExitsWith: .failure) {
            var machine = UpstreamConnectionStateMachine.leasedAgain(1, inTurn: 7)
            _ = machine.closed()
        }
    }

    @Test("Keeping an upstream connection that is closed traps")
    func idleAfterClose() async {
        await #expect(processExitsWith: .failure) {
            var machine = UpstreamConnectionStateMachine<Int>.closed
            machine.becameIdle(3)
        }
    }

    @Test("Bytes from an upstream connection that is closed trap")
    func bytesAfterClose() async {
        await #expect(processExitsWith: .failure) {
            let machine = UpstreamConnectionStateMachine<Int>.closed
            _ = machine.bytesReceived(inTurn: 7)
        }
    }

    @Test("Reading bytes from inside the reading of others traps")
    func readingInsideReading() async {
        await #expect(processExitsWith: .failure) {
            var machine = RequestReadingStateMachine.beginning(hasMore: true)
            machine.readingBegan()
        }
    }

    @Test("A head that is read while nothing is being read traps")
    func headAtRest() async {
        await #expect(processExitsWith: .failure) {
            var machine = RequestReadingStateMachine.resting
            machine.headRead(hasMore: false)
        }
    }

    @Test("A request that begins without a head traps")
    func requestWithoutHead() async {
        await #expect(processExitsWith: .failure) {
            var machine = RequestReadingStateMachine.reading
            machine.requestBegan()
        }
    }

    @Test("Awaiting a turn twice traps")
    func secondTurn() async {
        await #expect(processExitsWith: .failure) {
            var machine = RequestReadingStateMachine.awaitingTurn
            machine.turnAwaited()
        }
    }

    @Test("A turn that comes while bytes are read traps")
    func turnInsideReading() async {
        await #expect(processExitsWith: .failure) {
            var machine = RequestReadingStateMachine.reading
            _ = machine.turnCame()
        }
    }

    @Test("The end of reading that never began traps")
    func readingEndedAtRest() async {
        await #expect(processExitsWith: .failure) {
            var machine = RequestReadingStateMachine.resting
            machine.readingEnded()
        }
    }

    @Test("A second answer to one embedded request traps")
    func secondAnswer() async {
        await #expect(processExitsWith: .failure) {
            var machine = EmbeddedConnectionStateMachine.awaitingRequest(.sending)
            _ = machine.answered(isPersistent: true)
        }
    }

    @Test("An embedded request that begins before its turn traps")
    func embeddedRequestBeforeTurn() async {
        await #expect(processExitsWith: .failure) {
            var machine = EmbeddedConnectionStateMachine.awaitingTurn(.sending)
            machine.requestBegan()
        }
    }

    @Test("A turn of an embedded connection that is closed traps")
    func turnAfterClose() async {
        await #expect(processExitsWith: .failure) {
            var machine = EmbeddedConnectionStateMachine.closed
            machine.turnCame()
        }
    }

    @Test("Embedded requests that run out while one is answered trap")
    func ranOutWhileAnswering() async {
        await #expect(processExitsWith: .failure) {
            var machine = EmbeddedConnectionStateMachine.answering(.ended)
            _ = machine.requestsRanOut()
        }
    }

    @Test("The end of a client whose connection is closed traps")
    func clientEndedAfterClose() async {
        await #expect(processExitsWith: .failure) {
            var machine = EmbeddedConnectionStateMachine.closed
            machine.clientEnded()
        }
    }
}
