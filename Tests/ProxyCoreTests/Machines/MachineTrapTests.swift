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

    @Test("A reload traps at the end of a step that does not run")
    func reload() async {
        await #expect(processExitsWith: .success) { ExitTestBody.run(MachineTraps.reload) }
    }

    @Test("The order of idle connections traps if its sentinel is removed")
    func idleOrder() async {
        await #expect(processExitsWith: .success) { ExitTestBody.run(MachineTraps.idleOrder) }
    }

    @Test("The pool of idle connections traps if a connection is returned twice")
    func secondRelease() async {
        await #expect(processExitsWith: .success) { ExitTestBody.run(MachineTraps.secondRelease) }
    }

    @Test("An upstream connection traps at every event that its state does not allow")
    func upstreamConnection() async {
        await #expect(processExitsWith: .success) { ExitTestBody.run(MachineTraps.upstreamConnection) }
    }

    @Test("A tunnel traps at every event that its state does not allow")
    func tunnel() async {
        await #expect(processExitsWith: .success) { ExitTestBody.run(MachineTraps.tunnel) }
    }

    @Test("The reading of requests traps at every event that its state does not allow")
    func requestReading() async {
        await #expect(processExitsWith: .success) { ExitTestBody.run(MachineTraps.requestReading) }
    }

    @Test("An embedded server's connection traps at every event that its state does not allow")
    func embeddedConnection() async {
        await #expect(processExitsWith: .success) { ExitTestBody.run(MachineTraps.embeddedConnection) }
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
        typealias State = DownstreamConnectionStateMachineTests.State
        typealias Row = TrapRow<State, DownstreamConnectionStateMachine>
        let rows: [Row] = [
            Row("requestBegan", in: [.exchanging, .exchangingEnded, .draining, .drainingEnded, .tunnelling, .closed]) {
                $0.requestBegan()
            },
            Row("tunnelBegan", in: [.idle, .idleEnded, .awaitingLast, .awaitingLastEnded, .tunnelling, .closed]) {
                _ = $0.tunnelBegan()
            },
            Row("exchangeEnded", in: [.idle, .idleEnded, .awaitingLast, .awaitingLastEnded, .tunnelling]) {
                _ = $0.exchangeEnded(isPersistent: true, isLastRequest: false, hasMore: false)
            },
            Row("appEnded", in: [.tunnelling, .closed]) { $0.appEnded() },
            Row("requestsRanOut", in: [.tunnelling]) { _ = $0.requestsRanOut() },
            Row("requestRanOut", in: [.idle, .idleEnded, .awaitingLast, .awaitingLastEnded, .tunnelling, .closed]) {
                _ = $0.requestRanOut()
            },
            Row("drainRequested", in: []) { _ = $0.drainRequested(mayFollow: true) },
            Row("closed", in: []) { _ = $0.closed() },
        ]
        for row in rows { #expect(row.differences(among: State.allCases) { $0.machine } == []) }
    }

    static func shutdown() {
        typealias State = ShutdownStateMachineTests.State
        typealias Row = TrapRow<State, ShutdownStateMachine>
        let rows: [Row] = [
            Row("drainRequested", in: []) { _ = $0.drainRequested(by: .signal, hasDelay: true, workers: 2) },
            Row("timeReached", in: [.serving]) { _ = $0.timeReached(workers: 2) },
            Row("clientsLeft", in: [.serving]) { _ = $0.clientsLeft(workers: 2) },
            Row("workerJoined", in: []) { _ = $0.workerJoined() },
            Row(
                "requestsCut",
                in: [.serving, .delaying, .draining2, .draining1, .delayingForRequest, .draining2ForRequest]
            ) { $0.requestsCut(1) },
            Row("workerDrained", in: [.serving, .delaying, .delayingForRequest]) { _ = $0.workerDrained() },
        ]
        for row in rows { #expect(row.differences(among: State.allCases) { $0.machine } == []) }
    }

    static func reload() {
        typealias State = ReloadStateMachineTests.State
        typealias Row = TrapRow<State, ReloadStateMachine>
        func except(_ step: ReloadStateMachine.Step) -> [State] {
            let allowed = State.steps.filter { $0.step == step }.flatMap { [$0.state, $0.again, $0.stopping] }
            return State.allCases.filter { !allowed.contains($0) }
        }
        let rows: [Row] = [
            Row("wanted", in: []) { _ = $0.wanted(areWorkersComplete: true) },
            Row("fileChanged", in: []) { _ = $0.fileChanged(areWorkersComplete: true) },
            Row("proceeded", in: []) { _ = $0.proceeded(areWorkersComplete: true) },
            Row("drainBegan", in: []) { _ = $0.drainBegan() },
            Row("fileRead", in: except(.reading)) { _ = $0.fileRead(isUsable: true) },
            Row("workersPrepared", in: except(.preparing)) { _ = $0.workersPrepared(isUsable: true) },
            Row("tokensSaved", in: except(.savingTokens)) { _ = $0.tokensSaved(isUsable: true) },
            Row("swapped", in: except(.swapping)) { $0.swapped() },
        ]
        for row in rows { #expect(row.differences(among: State.allCases) { $0.machine } == []) }
    }

    static func upstreamConnection() {
        typealias State = UpstreamConnectionStateMachineTests.State
        typealias Row = TrapRow<State, UpstreamConnectionStateMachine<Int>>
        let rows: [Row] = [
            Row("leased", in: [.leasedFirst, .leasedAgain, .tunnelling, .returned, .closed]) {
                _ = $0.leased(to: 5, inTurn: 7)
            },
            Row("tunnelBegan", in: [.tunnelling, .returned, .idle, .closed]) { $0.tunnelBegan() },
            Row("leaseEnded", in: [.new, .returned, .idle, .closed]) {
                _ = $0.leaseEnded(.reusable, holdsUnread: false)
            },
            Row("becameIdle", in: [.leasedFirst, .leasedAgain, .tunnelling, .idle, .closed]) { $0.becameIdle(3) },
            Row("closed", in: [.leasedFirst, .leasedAgain, .tunnelling, .closed]) { _ = $0.closed() },
            Row("bytesReceived", in: [.new, .tunnelling, .returned, .closed]) { _ = $0.bytesReceived(inTurn: 7) },
            Row("backendStopped", in: [.new, .tunnelling, .returned, .closed]) { _ = $0.backendStopped() },
            Row("drained", in: [.new, .tunnelling, .returned, .closed]) { _ = $0.drained() },
        ]
        for row in rows { #expect(row.differences(among: State.allCases) { $0.machine } == []) }
    }

    static func tunnel() {
        typealias State = TunnelStateMachineTests.State
        typealias Row = TrapRow<State, TunnelStateMachine>
        let appEnded = State.all.filter { $0.toBackend == .ended }
        let backendEnded = State.all.filter { $0.toApp == .ended }
        let rows: [Row] = [
            Row("blocked app", in: []) { _ = $0.blocked(.app) },
            Row("blocked backend", in: []) { _ = $0.blocked(.backend) },
            Row("drained app", in: [.closed]) { _ = $0.drained(.app) },
            Row("drained backend", in: [.closed]) { _ = $0.drained(.backend) },
            Row("ended app", in: appEnded + [.closed]) { _ = $0.ended(.app) },
            Row("ended backend", in: backendEnded + [.closed]) { _ = $0.ended(.backend) },
            Row("broken", in: []) { _ = $0.broken() },
        ]
        for row in rows { #expect(row.differences(among: State.all) { $0.machine } == []) }
    }

    static func requestReading() {
        typealias State = RequestReadingStateMachineTests.State
        typealias Row = TrapRow<State, RequestReadingStateMachine>
        let beginning = [State.beginning, .beginningLast]
        let rows: [Row] = [
            Row("readingBegan", in: [.reading, .awaitingTurn] + beginning) { $0.readingBegan() },
            Row("headRead", in: [.resting, .awaitingTurn] + beginning) { $0.headRead(hasMore: false) },
            Row("requestBegan", in: [.resting, .reading, .awaitingTurn]) { $0.requestBegan() },
            Row("turnAwaited", in: [.resting, .awaitingTurn] + beginning) { $0.turnAwaited() },
            Row("readingEnded", in: [.resting] + beginning) { $0.readingEnded() },
            Row("turnCame", in: [.reading] + beginning) { _ = $0.turnCame() },
        ]
        for row in rows { #expect(row.differences(among: State.allCases) { $0.machine } == []) }
    }

    static func embeddedConnection() {
        typealias State = EmbeddedConnectionStateMachineTests.State
        typealias Row = TrapRow<State, EmbeddedConnectionStateMachine>
        let awaitingRequest = [State.awaitingRequest, .awaitingRequestEnded]
        let awaitingTurn = [State.awaitingTurn, .awaitingTurnEnded]
        let answering = [State.answering, .answeringEnded]
        let rows: [Row] = [
            Row("clientEnded", in: [.closed]) { $0.clientEnded() },
            Row("progressed", in: []) { _ = $0.progressed(holdsBytes: true, isBlocked: false) },
            Row("turnCame", in: awaitingRequest + answering + [.closed]) { $0.turnCame() },
            Row("requestBegan", in: awaitingTurn + answering + [.closed]) { $0.requestBegan() },
            Row("requestsRanOut", in: awaitingTurn + answering + [.closed]) { _ = $0.requestsRanOut() },
            Row("answered", in: awaitingRequest + awaitingTurn) { _ = $0.answered(isPersistent: true) },
            Row("closed", in: []) { _ = $0.closed() },
        ]
        for row in rows { #expect(row.differences(among: State.allCases) { $0.machine } == []) }
    }

    static func idleOrder() {
        let text = Trap.text {
            var order = IdleOrder()
            order.remove(0)
        }
        #expect(text != nil)
    }

    static func secondRelease() {
        let text = Trap.text {
            var pool = UpstreamPoolStateMachine.pooling([5])
            _ = pool.released(5)
        }
        #expect(text != nil)
    }
}
