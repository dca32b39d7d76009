import CLibevent
import Glibc

/// A TCP socket that accepts connections on its loop.
///
/// Confined to the loop's thread; released or closed it stops listening. When descriptors run out it rests for
/// a moment instead of asking in vain, and tells `failed`.
package final class Listener {
    /// Accepted in one turn at most, so that a burst of clients does not hold up the others.
    private static let acceptedPerTurn = 64
    private static let restWithoutDescriptors = Duration.milliseconds(100)

    /// With the real port, if 0 was asked for.
    package let address: SocketAddress
    /// Told what went wrong with accepting; the listener goes on by itself.
    package var failed: ((TransportError) -> Void)?

    private let loop: EventLoop
    private let accepted: (consuming Socket) -> Void
    /// -1 once closed.
    private var descriptor: Int32
    private var watch: ReadinessWatch?
    private var rest: Timer?
    private var isPaused = false

    /// Binds and listens at once; connections are accepted as soon as the loop runs.
    ///
    /// - Parameters:
    ///   - loop: Whose thread hears of connections.
    ///   - address: Port 0 picks a free one.
    ///   - backlog: How many connections the kernel may hold ready.
    ///   - reusePort: Whether listeners of other loops share the port, the kernel spreading connections.
    ///   - accepted: Given each connection, non-blocking and with TCP_NODELAY.
    /// - Throws: `.addressInUse`, `.permission`, or what else the system refused.
    package init(
        loop: EventLoop, address: SocketAddress, backlog: Int32 = 4096, reusePort: Bool,
        accepted: @escaping (consuming Socket) -> Void
    ) throws(TransportError) {
        let socket = Socket(owning: attache_socket_open(address.ip.isIPv6))
        guard socket.descriptor >= 0 else {
            throw TransportError(system: errno, "cannot make a socket for \(address)")
        }
        _ = attache_socket_reuse_address(socket.descriptor)
        // Accepted sockets inherit it, which saves a call for each.
        _ = attache_socket_no_delay(socket.descriptor)
        if reusePort, attache_socket_reuse_port(socket.descriptor) != 0 {
            throw TransportError(system: errno, "cannot share the port of \(address)")
        }
        guard attache_socket_bind(socket.descriptor, address.raw) == 0, listen(socket.descriptor, backlog) == 0 else {
            let number = errno
            let advice = number == EACCES ? "ports below 1024 need the capability NET_BIND_SERVICE" : nil
            throw TransportError(system: number, "cannot listen on \(address)", advice: advice)
        }
        var local = attache_address()
        // SAFETY: the address is lent for the call.
        guard unsafe attache_socket_local(socket.descriptor, &local) else {
            throw TransportError(system: errno, "cannot tell the address of \(address)")
        }
        self.address = SocketAddress(local)
        self.loop = loop
        self.accepted = accepted
        descriptor = socket.release()
        let watch = ReadinessWatch(loop: loop, descriptor: descriptor, Event.read) { [unowned self] in accept() }
        self.watch = watch
        watch.start()
    }

    deinit { close() }

    /// Leaves new connections waiting in the kernel.
    package func pause() {
        isPaused = true
        watch?.stop()
    }

    package func resume() {
        isPaused = false
        if rest == nil { watch?.start() }
    }

    /// Stops listening; connections that wait in the kernel are reset by it.
    package func close() {
        guard descriptor >= 0 else { return }
        watch = nil
        rest = nil
        Glibc.close(descriptor)
        descriptor = -1
    }

    private func accept() {
        for _ in 0..<Self.acceptedPerTurn {
            guard descriptor >= 0, !isPaused, rest == nil else { return }
            var peer = attache_address()
            var hasPeer = false
            // SAFETY: address and flag are lent for the call.
            let connection = unsafe attache_socket_accept(descriptor, &peer, &hasPeer)
            if connection >= 0 {
                accepted(Socket(owning: connection, peer: hasPeer ? SocketAddress(peer) : nil))
                continue
            }
            switch errno {
            case EAGAIN: return
            // The client went away while it waited, or its network did (accept(2) passes those errors on).
            case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP,
                ENETUNREACH:
                continue
            case let number: return takeRest(after: number)
            }
        }
    }

    /// Level-triggered readiness would call again at once, to fail again.
    private func takeRest(after number: Int32) {
        watch?.stop()
        let timer = Timer(loop: loop) { [unowned self] in
            rest = nil
            if !isPaused { watch?.start() }
        }
        rest = timer
        timer.schedule(after: Self.restWithoutDescriptors)
        failed?(TransportError(system: number, "cannot accept a connection on \(address)"))
    }
}
