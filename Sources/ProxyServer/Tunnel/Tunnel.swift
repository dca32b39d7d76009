import EventTransport
import ProxyCore

/// The two connections of a tunnel, whose bytes go to each other unread; performs what `TunnelStateMachine` decides.
///
/// Confined to the worker's loop. Bytes go from the loop's read buffer to the other socket. What that socket does not take
/// is queued, and the sender is not read meanwhile: so a slow reader costs at most one read.
final class Tunnel {
    /// What opened it.
    enum Kind: String, CaseIterable {
        case connect
        case websocket
    }

    private let kind: Kind
    private let worker: Worker
    private let loop: EventLoop
    private let downstream: DownstreamConnection
    private let upstream: UpstreamConnection
    // Copies of the connections' references: reading them through those would retain each one at every use.
    private let app: StreamConnection
    private let backend: StreamConnection
    private let idle: BackendTimeouts.Limit
    private let whole: BackendTimeouts.Limit
    private let state: Confined<State>

    /// The state that each piece of bytes changes.
    private struct State: ~Copyable {
        var machine = TunnelStateMachine.open(toBackend: .moving, toApp: .moving)
        var deadline: TunnelDeadline
        var record: ExchangeRecord
        var receivedByteCount: UInt64 = 0
        var sentByteCount: UInt64 = 0
    }

    init(
        _ kind: Kind, between downstream: DownstreamConnection, and upstream: UpstreamConnection,
        idle: BackendTimeouts.Limit, _ record: consuming ExchangeRecord, whole: BackendTimeouts.Limit,
        on worker: Worker
    ) {
        self.kind = kind
        self.worker = worker
        loop = worker.loop
        self.downstream = downstream
        self.upstream = upstream
        app = downstream.stream
        backend = upstream.stream
        self.idle = idle
        self.whole = whole
        let deadline = TunnelDeadline(
            idle: idle.nanoseconds, whole: whole.nanoseconds, at: loop.now)
        state = Confined(State(deadline: deadline, record: record))
        worker.tunnelOpened(kind, state.value.record)
    }

    /// Takes both streams' events, and forwards what both sides have sent by now.
    func start(sent: Span<UInt8>, answered: Span<UInt8>) {
        app.delegate = TunnelEnd(self, .app)
        backend.delegate = TunnelEnd(self, .backend)
        app.resumeReading()
        backend.resumeReading()
        if app.queuedByteCount > 0 { blocked(.app) }
        if backend.queuedByteCount > 0 { blocked(.backend) }
        if !sent.isEmpty { received(sent, from: .app) }
        if !answered.isEmpty { received(answered, from: .backend) }
        app.deadline = state.value.deadline.instant
    }

    private func stream(_ side: TunnelStateMachine.Side) -> StreamConnection {
        switch side {
        case .app: app
        case .backend: backend
        }
    }

    func received(_ bytes: Span<UInt8>, from side: TunnelStateMachine.Side) {
        let result: WriteResult
        switch side {
        case .app:
            state.value.receivedByteCount += UInt64(bytes.count)
            result = backend.write(bytes)
        case .backend:
            state.value.sentByteCount += UInt64(bytes.count)
            result = app.write(bytes)
        }
        // The stream's own deadline stays; it is checked and moved on when it is reached.
        state.value.deadline.moved(at: loop.now)
        switch result {
        case .written: break
        case .blocked: blocked(side.other)
        }
    }

    /// The side has not taken all that was written to it.
    func blocked(_ side: TunnelStateMachine.Side) {
        switch state.value.machine.blocked(side) {
        case .pauseSender:
            stream(side.other).pauseReading()
            state.value.deadline.blocked(untaken: untakenByteCount)
        case .none: break
        }
    }

    func drained(_ side: TunnelStateMachine.Side) {
        state.value.deadline.moved(at: loop.now)
        switch state.value.machine.drained(side) {
        case .resumeSender: stream(side.other).resumeReading()
        case .none: break
        }
    }

    /// The side has ended in order.
    func ended(_ side: TunnelStateMachine.Side) {
        switch state.value.machine.ended(side) {
        case .endReceiver: stream(side.other).endWriting()
        case .close:
            app.close()
            leave(.complete)
        }
    }

    func failed(_ side: TunnelStateMachine.Side, _ error: TransportError) {
        switch side {
        // Nobody is left who could be told.
        case .app: abort(nil)
        case .backend:
            abort(
                ProxyError(
                    .connectionTerminated,
                    "The tunnel's connection to the backend broke: \(error.message); look at the backend's log"))
        }
    }

    func deadlinePassed() {
        switch state.value.deadline.look(at: loop.now, left: untakenByteCount) {
        case .goesOn: app.deadline = state.value.deadline.instant
        case .isIdle:
            abort(
                ProxyError(
                    .tunnelIdle,
                    "Neither side of the tunnel sent or took anything for \(idle); let one of them send something in time, or "
                        + "raise the limit"))
        case .isOver:
            abort(
                ProxyError(
                    .tunnelTimeout,
                    "The tunnel was open for \(whole); open another one, or raise the "
                        + "limit"))
        }
    }

    private var untakenByteCount: Int { app.unacknowledgedByteCount + backend.unacknowledgedByteCount }

    /// Resets what is left of both connections, as a close could be taken for an orderly end.
    func abort(_ error: ProxyError?) {
        switch state.value.machine.broken() {
        case .abort:
            state.value.record.error = error
            app.abort()
            leave(.cut)
        case .none: break
        }
    }

    private func leave(_ end: UpstreamConnection.LeaseEnd) {
        upstream.endLease(end)
        state.value.record.note(tunnelled: state.value.receivedByteCount, state.value.sentByteCount)
        worker.tunnelEnded(kind, state.value.record)
        downstream.tunnelEnded()
    }
}
