import CLibevent
import Glibc

// SAFETY: the events' context is the connection whose stored properties they are; a started one retains itself until the end
// of the turn in which they are freed.
/// One stream over TCP, plain or with TLS, served by its loop: performs what `StreamStateMachine` decides.
///
/// Confined to the loop's thread. The loop keeps a started connection alive until the end of the turn in which it is
/// closed, is aborted or fails; one that was never started closes when it is released. Idle, it holds no buffer.
@safe
package final class StreamConnection {
    /// Hears what happens; held until the connection is closed.
    package var delegate: (any StreamDelegate)? {
        get { listener }
        set { listener = newValue }
    }
    // Seen from this module only, so that no access to it needs a check at run time.
    private(set) var listener: (any StreamDelegate)?
    package let peer: SocketAddress?

    let loop: EventLoop
    let wire: StreamWire
    /// What the socket would not take; empty while the loop's batch holds something of this connection.
    var queue = WriteQueue()
    /// Which entry of the loop's batch holds what this turn has written; nil for none.
    var batchEntry: Int?
    var readEvent: Event?
    /// Made when the socket first refuses bytes.
    var writeEvent: Event?
    /// Made with the first deadline.
    var deadlineEvent: Event?
    /// When the delegate wants to be told, or the distant future.
    var due = MonotonicInstant.distantFuture
    /// When `deadlineEvent` fires, or the distant future; not later than `due`.
    var armed = MonotonicInstant.distantFuture
    var machine = StreamStateMachine.open(.unstarted(isPaused: false), .free)
    /// What the next read may bring, in bytes; doubles with each read that it limits, up to `EventLoop.readCapacity`.
    var readSize = StreamConnection.firstReadSize

    /// A plain connection on an accepted socket.
    package convenience init(_ socket: consuming Socket, loop: EventLoop) {
        self.init(socket, tls: nil, loop: loop)
    }

    /// A connection whose TLS handshake, if any, is over.
    init(_ socket: consuming Socket, tls: TLSSession?, loop: EventLoop) {
        peer = socket.peer
        wire = StreamWire(descriptor: socket.release(), tls: tls)
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
        readEvent = unsafe Event(
            on: loop, descriptor: wire.descriptor, Event.read | Event.persist, streamReadable, context)
        switch action {
        case .read: beginReading()
        case .none: break
        }
    }

    /// Ends the stream in order: nothing more is heard of it.
    ///
    /// What this turn has written is sent first; what is queued goes out in the background, as with `closeAfterResponse()`.
    package func close() { leave(waitsForPeer: false) }

    /// Ends the stream so that the peer can read our answer although it may still be sending (RFC 9112 9.6).
    ///
    /// Sends what is queued and the end, as long as the peer takes something in every 10 s; drops what comes, 1 MiB at
    /// most, until the peer ends or 2 s more have passed.
    package func closeAfterResponse() { leave(waitsForPeer: true) }

    /// Breaks the connection off and drops what this turn has written; the peer sees a reset.
    package func abort() {
        guard !isClosed else { return }
        _ = attache_socket_reset_on_close(wire.descriptor)
        dismantle()
        wire.close()
    }

    /// Whether it was closed, was aborted or has failed.
    package var isClosed: Bool { machine.isClosed }

    /// Whether bytes of the peer, or its end, have come that have not been told yet, as far as there is a reason to look.
    ///
    /// Costs a system call where reading was paused since the last read, or where that one may have left something behind.
    package var holdsUnread: Bool {
        wire.tls?.mayHoldMore ?? false || (machine.mayHoldMore && wire.holdsUnread)
    }

    private func leave(waitsForPeer: Bool) {
        guard !isClosed else { return }
        send(from: loop.sends)
        let hasFailed = machine.writing == .drop
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
        // SAFETY: balances the retain in `start`. Callbacks of this turn may be on the stack, with no reference of their own.
        case .release: unsafe loop.releaseBehindTurn(Unmanaged.passUnretained(self).takeRetainedValue())
        case .none: break
        }
    }

    /// The last call to the delegate.
    func fail(_ error: TransportError) {
        let listener = listener
        queue.clear(on: loop)
        dismantle()
        wire.close()
        listener?.streamFailed(error)
    }

    /// What to tell when the system or TLS failed.
    func failure(_ number: Int32) -> TransportError {
        if number == 0, let failure = wire.tls?.failure { return failure }
        let name = wire.tls?.authority ?? peer.map { "\($0)" } ?? "the peer"
        return TransportError(system: number == 0 ? ECONNRESET : number, "the connection with \(name) broke")
    }

    private func removeEvents() {
        readEvent = nil
        writeEvent = nil
        deadlineEvent = nil
    }
}

/// Moves the queue out and leaves an empty one.
private func take(_ queue: inout WriteQueue) -> WriteQueue {
    var taken = WriteQueue()
    swap(&taken, &queue)
    return taken
}

// SAFETY: the connection retained itself for as long as its read event exists, and is released behind this turn.
private func streamReadable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<StreamConnection>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.readable() }
}
