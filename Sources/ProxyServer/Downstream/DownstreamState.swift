import EventTransport
import HTTPWire
import ProxyCore

/// The mutable state of an app's connection, as one value (see `Confined`).
struct DownstreamState: ~Copyable {
    // Every connection has this: the small fields stand together, so that they leave no gap.
    var exchange: Exchange?
    /// The tunnel whose side the connection is.
    var tunnel: Tunnel?
    /// The CONNECT tunnel inside which the app's requests come, if Attaché serves them itself.
    var terminated: ServedTunnel?
    var backlog = RequestBacklog()
    var machine = DownstreamConnectionStateMachine.idle(.sending)
    /// The connection's number in the worker's table; -1 if it is not there.
    fileprivate var number: Int32 = -1
    /// When the app, or the backend that it waits for, times out.
    var deadline: DownstreamDeadline

    init(timeouts: Timeouts) { deadline = DownstreamDeadline(timeouts) }

    /// A request begins, whose exchange sets the next deadline.
    mutating func began(_ exchange: Exchange) {
        machine.requestBegan()
        deadline.exchangeBegan()
        self.exchange = exchange
    }
}

extension DownstreamConnection {
    /// Whether the response in progress is the connection's last.
    ///
    /// An app that has ended its side still gets a response to each request that it sent before.
    var isDraining: Bool { machine.isLastResponse(hasMore: backlog.hasMore) || isEndAnnounced }

    /// Whether a request or a tunnel is in progress.
    var isServing: Bool { exchange != nil || tunnel != nil }

    /// The connection's number in the worker's table; nil if it is not there.
    var number: Int32? {
        get { state.value.number < 0 ? nil : state.value.number }
        set { state.value.number = newValue ?? -1 }
    }

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

    var tunnel: Tunnel? {
        get { state.value.tunnel }
        set { state.value.tunnel = newValue }
    }

    var terminated: ServedTunnel? {
        get { state.value.terminated }
        set { state.value.terminated = newValue }
    }

    var backlog: RequestBacklog {
        _read { yield state.value.backlog }
        _modify { yield &state.value.backlog }
    }
}
