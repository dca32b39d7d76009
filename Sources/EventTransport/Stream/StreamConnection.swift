import CLibevent
import Glibc

// SAFETY: the events' context is the connection whose stored properties the events are. A started connection retains itself
// until the end of the turn in which its events are freed, and it holds the loop until it is released.
/// One stream over TCP, plain or with TLS, served by its loop; performs what `StreamStateMachine` decides.
///
/// Confined to the loop's thread. The loop keeps a started connection alive until the end of the turn in which it
/// closes, is aborted or fails. A connection that was never started closes when it is released. An idle connection
/// holds no buffer.
@safe
package final class StreamConnection {
    /// The receiver of events; held until the connection is closed.
    package var delegate: (any StreamDelegate)? {
        get { listener }
        set { listener = newValue }
    }
    // Visible in this module only, so that no access needs a check at run time.
    private(set) var listener: (any StreamDelegate)?
    package let peer: SocketAddress?

    let loop: EventLoop
    let wire: StreamWire
    // Numbers of 32 bits, no optionals, and behind the descriptor: every connection has them, and so they leave no gap.
    /// The index of the entry in the loop's batch with what this turn has written; -1 for none.
    var batchEntry: Int32 = -1
    /// The index of the connection's entry in the loop's queue of deadlines; -1 for none.
    var deadlineIndex: Int32 = -1
    /// The size of the next read, in bytes; doubles with each read that fills it, up to `EventLoop.readCapacity`.
    var readSize = Int32(StreamConnection.firstReadSize)
    /// The bytes that the socket did not take; empty while the loop's batch holds bytes of this connection.
    var queue = WriteQueue()
    var readEvent: BareEvent?
    /// Made when the socket first refuses bytes.
    var writeEvent: BareEvent?
    /// The delegate's deadline, or the distant future.
    var due = MonotonicInstant.distantFuture
    /// When that queue wakes it, or the distant future; not later than `due`.
    var armed = MonotonicInstant.distantFuture
    var machine = StreamStateMachine.open(.free, .unstarted(isPaused: false))

    /// A plain connection on an accepted socket.
    package convenience init(_ socket: consuming Socket, loop: EventLoop) {
        self.init(socket, tls: nil, loop: loop)
    }

    /// A connection after its TLS handshake, if it has one.
    init(_ socket: consuming Socket, tls: TLSSession?, loop: EventLoop) {
        peer = socket.peer
        wire = StreamWire(tls: tls, descriptor: socket.release())
        self.loop = loop
    }

    deinit {
        // A started connection is kept alive until it is closed.
        guard !isClosed else { return }
        loop.sends.remove(self)
        removeEvents()
        wire.close()
    }

    /// Begins to receive; until then the peer's bytes wait in the kernel.
    package func start() {
        let action = machine.started()
        // SAFETY: `dismantle` releases this reference, once, after the events that carry it are gone.
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        readEvent = unsafe BareEvent(
            on: loop, descriptor: wire.descriptor, Event.read | Event.persist, streamReadable, context)
        switch action {
        case .read: beginReading()
        case .none: break
        }
    }

    /// Ends the stream in order; the delegate is not called again.
    ///
    /// Sends first what this turn has written; queued bytes are sent in the background, as with
    /// `closeAfterResponse()`.
    package func close() { leave(waitsForPeer: false) }

    /// Ends the stream so that the peer can read the response even if it is still sending (RFC 9112 9.6).
    ///
    /// Sends the queued bytes and the end, as long as the peer takes some bytes in every 10 s. Drops received bytes,
    /// at most 1 MiB, until the peer ends, or for up to 2 s more.
    package func closeAfterResponse() { leave(waitsForPeer: true) }

    /// Resets the connection and drops what this turn has written.
    package func abort() {
        guard !isClosed else { return }
        _ = attache_socket_reset_on_close(wire.descriptor)
        dismantle()
        wire.close()
    }

    /// Whether the connection was closed, was aborted or has failed.
    package var isClosed: Bool { machine.isClosed }

    /// Whether bytes of the peer, or its end, have arrived that the delegate has not got, as far as there is a reason
    /// to check.
    ///
    /// Costs a system call if reading was paused since the last read, or if that read may have left something.
    package var holdsUnread: Bool {
        wire.tls?.mayHoldMore ?? false || (machine.mayHoldMore && wire.holdsUnread)
    }

    private func leave(waitsForPeer: Bool) {
        guard !isClosed else { return }
        send(from: loop.sends)
        let hasFailed = machine.takesNoMore
        dismantle()
        if hasFailed || (!waitsForPeer && queue.isEmpty && wire.endRecords()) {
            wire.close()
        } else {
            LingeringClose(wire, take(&queue), on: loop).begin()
        }
    }

    /// Takes the connection out of the loop; the descriptor stays open.
    func dismantle() {
        let action = machine.closed()
        listener = nil
        loop.sends.remove(self)
        removeEvents()
        switch action {
        // SAFETY: balances the retain in `start`. Callbacks of this turn may be on the stack, without a reference of
        // their own.
        case .release: unsafe loop.releaseBehindTurn(Unmanaged.passUnretained(self).takeRetainedValue())
        case .none: break
        }
    }

    /// Makes the last call to the delegate.
    func fail(_ error: TransportError) {
        let listener = listener
        queue.clear(on: loop)
        dismantle()
        wire.close()
        listener?.streamFailed(error)
    }

    /// The error to report when the system or TLS failed.
    func failure(_ number: Int32) -> TransportError {
        if number == 0, let failure = wire.tls?.failure { return failure }
        let name = wire.tls?.authority ?? peer.map { "\($0)" } ?? "the peer"
        return TransportError(system: number == 0 ? ECONNRESET : number, "the connection with \(name) broke")
    }

    private func removeEvents() {
        readEvent = nil
        writeEvent = nil
        loop.deadlines.remove(self)
    }
}

/// Moves the queue out and leaves an empty one.
private func take(_ queue: inout WriteQueue) -> WriteQueue {
    var taken = WriteQueue()
    swap(&taken, &queue)
    return taken
}

// SAFETY: the connection retained itself for as long as its read event exists, and is released after this turn.
private func streamReadable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<StreamConnection>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.readable() }
}

extension StreamConnection {
    /// When `streamDeadlinePassed` is called, once; nil for never.
    ///
    /// Moving the deadline later or removing it costs next to nothing: the loop's queue wakes the connection early, and the
    /// connection reads the deadline and asks again.
    package var deadline: MonotonicInstant? {
        get { due == .distantFuture ? nil : due }
        set {
            guard !isClosed else { return }
            due = newValue ?? .distantFuture
            if due < armed { armDeadline() }
        }
    }

    // Not inlined into the setter, which each request calls several times and which seldom gets here.
    @inline(never)
    private func armDeadline() {
        armed = due
        loop.deadlines.wake(self, at: due)
    }

    /// Called by the loop's queue, which has forgotten the connection.
    func deadlineElapsed() {
        armed = .distantFuture
        guard !isClosed, due != .distantFuture else { return }
        guard loop.now >= due else { return armDeadline() }
        due = .distantFuture
        listener?.streamDeadlinePassed()
    }
}

/// Receives the events of one stream connection; every call is on the loop's thread.
///
/// From inside each call the delegate may write to, pause, close or abort this connection or any other. No call
/// follows `close()` or `abort()`.
package protocol StreamDelegate: AnyObject {
    /// Bytes arrived.
    ///
    /// They are lent from the loop's one read buffer until the call returns: consume or copy all of them.
    func streamReceived(_ bytes: Span<UInt8>)
    /// The peer closed its side in order (FIN, or TLS close_notify); writing still works.
    func streamEnded()
    /// The socket did not take all that an earlier turn wrote; `streamDrained` follows when it has.
    func streamBlocked()
    /// The queue is empty again after the socket refused bytes, whether or not `streamBlocked` was called.
    func streamDrained()
    /// A reset, a TLS failure or a TLS end without close_notify; at most once, and the last call.
    func streamFailed(_ error: TransportError)
    /// The connection's deadline has passed and is unset now.
    func streamDeadlinePassed()
}

/// What happened to the bytes of a write.
package enum WriteResult: Equatable, Sendable {
    /// The kernel took all bytes or gets them at the end of the turn, or the connection can no longer send and
    /// dropped them.
    case written
    /// Some bytes wait in the connection's queue; `streamDrained` follows when they are sent.
    case blocked
}
