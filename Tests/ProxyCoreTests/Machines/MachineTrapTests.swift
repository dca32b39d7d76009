import Support
import Testing

@testable import ProxyCore

/// A call that only a bug of our own can make ends the process instead of going on with a wrong state.
@Suite struct MachineTrapTests {
    @Test("An exchange traps at every event in every state that its table does not name")
    func exchange() async {
        await #expect(processExitsWith: .success) { ExitTestBody.run(MachineTraps.exchange) }
    }

    @Test("An app's connection traps at every event that its state does not allow")
    func downstreamConnection() async {
        await #expect(processExitsWith: .success) { ExitTestBody.run(MachineTraps.downstreamConnection) }
    }

    @Test("A drain traps at every event that its state does not allow")
    func shutdown() async {
        await #expect(processExitsWith: .success) { ExitTestBody.run(MachineTraps.shutdown) }
    }

    @Test("The order of idle connections traps if its sentinel is removed")
    func idleOrder() async {
        await #expect(processExitsWith: .success) { ExitTestBody.run(MachineTraps.idleOrder) }
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

    @Test("Keeping a closed upstream connection traps")
    func idleAfterClose() async {
        await #expect(processExitsWith: .failure) {
            var machine = UpstreamConnectionStateMachine<Int>.closed
            machine.becameIdle(3)
        }
    }

    @Test("Bytes from a closed upstream connection trap")
    func bytesAfterClose() async {
        await #expect(processExitsWith: .failure) {
            let machine = UpstreamConnectionStateMachine<Int>.closed
            _ = machine.bytesReceived(inTurn: 7)
        }
    }

    @Test("Reading bytes while others are being read traps")
    func readingInsideReading() async {
        await #expect(processExitsWith: .failure) {
            var machine = RequestReadingStateMachine.beginning(hasMore: true)
            machine.readingBegan()
        }
    }

    @Test("Reading a head while nothing is being read traps")
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

    @Test("A turn that comes while bytes are being read traps")
    func turnInsideReading() async {
        await #expect(processExitsWith: .failure) {
            var machine = RequestReadingStateMachine.reading
            _ = machine.turnCame()
        }
    }

    @Test("The end of a read that never began traps")
    func readingEndedAtRest() async {
        await #expect(processExitsWith: .failure) {
            var machine = RequestReadingStateMachine.resting
            machine.readingEnded()
        }
    }

    @Test("A second response to one embedded request traps")
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

    @Test("A turn of a closed embedded connection traps")
    func turnAfterClose() async {
        await #expect(processExitsWith: .failure) {
            var machine = EmbeddedConnectionStateMachine.closed
            machine.turnCame()
        }
    }

    @Test("Running out of embedded requests while one is being answered traps")
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

/// The bodies of the exit tests.
private enum MachineTraps {
    static func exchange() {
        var possible: Set<String> = []
        for line in ExchangeTable.all { possible.insert("\(line)") }
        for state in ExchangeState.all {
            for event in ExchangeEvent.all where !possible.contains("\(event) in \(state)") {
                let text = Trap.text {
                    var machine = state.machine
                    _ = event.happen(to: &machine)
                }
                #expect(text != nil, "\(event) in \(state)")
            }
        }
    }

    static func downstreamConnection() {
        typealias Tests = DownstreamConnectionStateMachineTests
        let events: [(name: String, states: [Tests.State], happen: (inout DownstreamConnectionStateMachine) -> Void)] =
            [
                (
                    "requestBegan", [.exchanging, .exchangingEnded, .draining, .drainingEnded, .closed],
                    { $0.requestBegan() }
                ),
                ("exchangeEnded", [.idle, .idleEnded], { _ = $0.exchangeEnded(isPersistent: true, hasMore: false) }),
                ("appEnded", [.closed], { $0.appEnded() }),
                ("requestRanOut", [.idle, .idleEnded, .closed], { _ = $0.requestRanOut() }),
            ]
        for event in events {
            for state in event.states {
                let text = Trap.text {
                    var machine = state.machine
                    event.happen(&machine)
                }
                #expect(text != nil, "\(event.name) in \(state)")
            }
        }
    }

    static func shutdown() {
        typealias Tests = ShutdownStateMachineTests
        let events: [(name: String, states: [Tests.State], happen: (inout ShutdownStateMachine) -> Void)] = [
            ("timeReached", [.serving], { _ = $0.timeReached(workers: 2) }),
            ("requestsCut", [.serving, .delaying, .draining2, .draining1], { $0.requestsCut(1) }),
            ("workerDrained", [.serving, .delaying], { _ = $0.workerDrained() }),
        ]
        for event in events {
            for state in event.states {
                let text = Trap.text {
                    var machine = state.machine
                    event.happen(&machine)
                }
                #expect(text != nil, "\(event.name) in \(state)")
            }
        }
    }

    static func idleOrder() {
        let text = Trap.text {
            var order = IdleOrder()
            order.remove(0)
        }
        #expect(text != nil)
    }
}
