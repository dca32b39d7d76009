import EventTransport
import HTTPWire
import ProxyCore

/// The mutable state of an app's connection, as one value (see `Confined`).
struct DownstreamState: ~Copyable {
    var machine = DownstreamConnectionStateMachine.idle(.sending)
    var reading = RequestReadingStateMachine.resting
    var exchange: Exchange?
    var held: [UInt8] = []
    var scanner: HeadScanner
    var turns = RequestTurns()
    /// When the app, or the backend that it waits for, times out.
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

    var reading: RequestReadingStateMachine {
        _read { yield state.value.reading }
        _modify { yield &state.value.reading }
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

    var turns: RequestTurns {
        get { state.value.turns }
        _modify { yield &state.value.turns }
    }
}
