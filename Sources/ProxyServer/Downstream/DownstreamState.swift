import EventTransport
import HTTPWire
import ProxyCore

/// What changes in a connection of an app, as one value (see `Confined`).
struct DownstreamState: ~Copyable {
    var machine = DownstreamConnectionStateMachine.idle(.sending)
    var exchange: Exchange?
    var held: [UInt8] = []
    var scanner: HeadScanner
    var isConsuming = false
    var turns = RequestTurns()
    /// Whether what is held waits for the next turn of the loop, as this one has begun enough requests of this app.
    var awaitsTurn = false
    /// Whether bytes stand behind the head that is being consumed.
    var hasBytesBehindHead = false
    /// Until when the app, or the backend that it waits for, must have got on.
    var deadline: DownstreamDeadline

    init(limits: HeadLimits, timeouts: Timeouts) {
        scanner = HeadScanner(limits: limits)
        deadline = DownstreamDeadline(timeouts)
    }
}

extension DownstreamConnection {
    var deadline: DownstreamDeadline {
        get { state.value.deadline }
        _modify {
            defer { stream.deadline = state.value.deadline.instant }
            yield &state.value.deadline
        }
    }

    var machine: DownstreamConnectionStateMachine {
        _read { yield state.value.machine }
        _modify { yield &state.value.machine }
    }

    var exchange: Exchange? {
        get { state.value.exchange }
        set { state.value.exchange = newValue }
    }

    var held: [UInt8] {
        get { state.value.held }
        _modify { yield &state.value.held }
    }

    var scanner: HeadScanner {
        get { state.value.scanner }
        _modify { yield &state.value.scanner }
    }

    var isConsuming: Bool {
        get { state.value.isConsuming }
        set { state.value.isConsuming = newValue }
    }

    var turns: RequestTurns {
        get { state.value.turns }
        _modify { yield &state.value.turns }
    }

    var awaitsTurn: Bool {
        get { state.value.awaitsTurn }
        set { state.value.awaitsTurn = newValue }
    }

    var hasBytesBehindHead: Bool {
        get { state.value.hasBytesBehindHead }
        set { state.value.hasBytesBehindHead = newValue }
    }
}
