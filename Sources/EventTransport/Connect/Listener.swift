import CLibevent
import Glibc

/// What the owner of a listener knows of the process's descriptors.
package struct DescriptorUse {
    /// At least so many are open.
    let open: Int
    /// So many must stay free.
    let kept: Int

    package init(open: Int, kept: Int) {
        self.open = open
        self.kept = kept
    }
}

/// Accepts the connections of a listening socket on its loop.
///
/// Confined to the loop's thread. It stops listening when it is closed or released. When no descriptors are left
/// beyond those to be kept, connections wait in the kernel: the listener pauses briefly instead of retrying at
/// once, and calls `failed`.
package final class Listener {
    /// The most connections accepted in one turn, so that a burst of clients does not delay the others.
    private static let acceptedPerTurn = 64
    /// The most connections that the next turn accepts.
    ///
    /// It begins with one and doubles as long as more wait, because asking in vain costs a system call.
    private var nextCount = 1
    private static let restWithoutDescriptors = Duration.milliseconds(100)

    package var address: ListenerAddress { socket.address }
    /// Called with each error of accepting; the listener continues by itself.
    package var failed: ((TransportError) -> Void)?

    private let loop: EventLoop
    private let socket: BoundSocket
    private let accepted: (consuming Socket) -> Void
    private let descriptors: () -> DescriptorUse
    private let descriptorLimit = DescriptorLimit.current
    /// Whether descriptors may be short: a connection's number was in the upper half of the limit, and since then the
    /// owner has not known of fewer.
    private var mayBeShort = true
    /// The descriptor; -1 once closed.
    private var descriptor: Int32
    private var watch: ReadinessWatch?
    private var rest: Timer?

    /// Accepts connections as soon as the loop runs.
    ///
    /// - Parameters:
    ///   - loop: The loop whose thread accepts connections.
    ///   - socket: The socket, which the listener closes.
    ///   - descriptors: How many descriptors are in use, and how many must stay free for a connection to be accepted;
    ///     called only when more than half of them are in use.
    ///   - accepted: Called with each connection, non-blocking and over TCP with TCP_NODELAY.
    package init(
        loop: EventLoop, socket: BoundSocket,
        descriptors: @escaping () -> DescriptorUse = { DescriptorUse(open: 0, kept: 0) },
        accepted: @escaping (consuming Socket) -> Void
    ) {
        self.loop = loop
        self.socket = socket
        self.descriptors = descriptors
        self.accepted = accepted
        descriptor = socket.descriptor
        let watch = ReadinessWatch(loop: loop, descriptor: descriptor, Event.read) { [unowned self] in
            nextCount = accept(atMost: nextCount) ? min(2 * nextCount, Self.acceptedPerTurn) : 1
        }
        self.watch = watch
        watch.start()
    }

    deinit { close() }

    /// Accepts the connections that wait in the kernel now, as far as descriptors allow.
    ///
    /// Accepts at most one backlog, so that clients that keep connecting do not delay a loop that is to end.
    package func acceptWaiting() { _ = accept(atMost: Int(BoundSocket.standardBacklog)) }

    /// Stops listening; the kernel resets connections that wait in it.
    package func close() {
        guard descriptor >= 0 else { return }
        watch?.end()
        watch = nil
        rest = nil
        socket.close()
        descriptor = -1
    }

    /// - Returns: whether so many had come, so that more may wait.
    private func accept(atMost count: Int) -> Bool {
        for _ in 0..<count {
            guard descriptor >= 0, rest == nil else { return false }
            if mayBeShort, isShort {
                // The last waiting connection may have been accepted; then there is no shortage.
                if hasWaiting { takeRest(shortage) }
                return false
            }
            var peer = attache_address()
            var hasPeer = false
            // SAFETY: address and flag are lent for the call.
            let connection = unsafe attache_socket_accept(descriptor, &peer, &hasPeer)
            if connection >= 0 {
                let half = descriptorLimit / 2
                // A low number may only be one that was closed meanwhile.
                if connection >= half || mayBeShort { mayBeShort = connection >= half || descriptors().open >= half }
                accepted(Socket(owning: connection, peer: hasPeer ? SocketAddress(peer) : nil))
                continue
            }
            switch errno {
            case EAGAIN: return false
            // The client disconnected while it waited, or its network failed (accept(2) reports those errors).
            case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP,
                ENETUNREACH:
                continue
            case let number:
                mayBeShort = true
                takeRest(TransportError(system: number, "cannot accept a connection on \(address)"))
                return false
            }
        }
        return true
    }

    /// Whether a connection waits in the kernel.
    private var hasWaiting: Bool {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // SAFETY: the structure is lent for the call.
        return unsafe poll(&poller, 1, 0) > 0
    }

    private var isShort: Bool {
        let use = descriptors()
        guard use.kept > 0 else { return false }
        // The lowest free number says less than the owner knows if a lower one was closed meanwhile.
        let open = max(use.open, DescriptorLimit.lowestFree(copying: descriptor))
        return open + use.kept >= descriptorLimit
    }

    private var shortage: TransportError {
        TransportError(
            .descriptorLimit,
            "connections to \(address) have to wait: nearly all of \(descriptorLimit) descriptors are in use, and the rest is kept "
                + "for connections in service; raise the limit of open files (ulimit -n)",
            errno: EMFILE)
    }

    /// Pauses the listener: level-triggered readiness would call it again at once, only to fail again.
    private func takeRest(_ reason: TransportError) {
        watch?.stop()
        let timer = Timer(loop: loop) { [unowned self] in
            rest = nil
            watch?.start()
        }
        rest = timer
        timer.schedule(after: Self.restWithoutDescriptors)
        failed?(reason)
    }
}
