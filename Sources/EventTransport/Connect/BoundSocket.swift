import CLibevent
import Glibc
import Locking

/// A socket that listens, before and while a `Listener` accepts from it.
///
/// Any thread. Closing it removes the file of a Unix socket.
package final class BoundSocket: Sendable {
    /// The address with its real port if port 0 was requested.
    package let address: ListenerAddress
    /// Whether all copies must be the same socket, because another process has made it.
    package let isPassed: Bool
    private let state: Locked<State>

    private struct State {
        /// -1 once closed.
        var descriptor: Int32
        /// The file that closing removes; nil for TCP, an abstract name, and a copy.
        var file: SocketFile?
    }

    private init(
        _ socket: consuming Socket, _ address: ListenerAddress, file: SocketFile? = nil, isPassed: Bool = false
    ) {
        self.address = address
        self.isPassed = isPassed
        state = Locked(State(descriptor: socket.release(), file: file))
    }

    /// A TCP socket that listens.
    ///
    /// - Parameters:
    ///   - address: The address; port 0 picks a free one.
    ///   - backlog: How many connections the kernel may hold ready.
    ///   - reusePort: Whether sockets of other loops share the port; the kernel then distributes connections.
    /// - Throws: `.addressInUse`, `.permission`, or another error from the system.
    package convenience init(
        _ address: SocketAddress, backlog: Int32 = BoundSocket.standardBacklog, reusePort: Bool
    ) throws(TransportError) {
        let socket = Socket(owning: attache_socket_open(address.ip.isIPv6))
        guard socket.descriptor >= 0 else {
            throw TransportError(system: errno, "cannot make a socket for \(address)")
        }
        _ = attache_socket_reuse_address(socket.descriptor)
        // Accepted sockets inherit both, which saves calls for each.
        _ = attache_socket_no_delay(socket.descriptor)
        if address.ip.isLoopback { _ = attache_socket_no_pacing(socket.descriptor) }
        if reusePort, attache_socket_reuse_port(socket.descriptor) != 0 {
            throw TransportError(system: errno, "cannot share the port of \(address)")
        }
        guard attache_socket_bind(socket.descriptor, address.raw) == 0, listen(socket.descriptor, backlog) == 0 else {
            let number = errno
            throw TransportError(system: number, "cannot listen on \(address)", advice: Self.advice(number))
        }
        var local = attache_address()
        // SAFETY: the address is lent for the call.
        guard unsafe attache_socket_local(socket.descriptor, &local) else {
            throw TransportError(system: errno, "cannot tell the address of \(address)")
        }
        self.init(socket, .tcp(SocketAddress(local)))
    }

    private static func advice(_ number: Int32) -> String? {
        switch number {
        case EACCES: "ports below 1024 need the capability NET_BIND_SERVICE"
        case EADDRNOTAVAIL: "no network interface of this machine has the address; write one that `ip address` shows"
        default: nil
        }
    }

    /// A Unix socket that listens.
    ///
    /// Replaces the file of a socket that no process listens on any more, and nothing else.
    ///
    /// - Parameters:
    ///   - address: The path or abstract name.
    ///   - access: Who may connect; without effect for an abstract name.
    ///   - backlog: How many connections the kernel may hold ready.
    /// - Throws: `.addressInUse` if another process listens there, `.permission`, or another error from the system.
    package convenience init(
        _ address: UnixAddress, _ access: SocketFile.Access, backlog: Int32 = BoundSocket.standardBacklog
    ) throws(TransportError) {
        let socket = Socket(owning: attache_unix_open())
        guard socket.descriptor >= 0 else {
            throw TransportError(system: errno, "cannot make a socket for \(address)")
        }
        let file = try SocketFile.bind(socket, to: address, access, backlog: backlog)
        self.init(socket, .unix(address), file: file)
    }

    /// A socket that another process has made and passed on; its file stays when it is closed.
    ///
    /// - Parameters:
    ///   - socket: A stream socket that listens. It becomes non-blocking, and is closed when the process runs another
    ///     program.
    ///   - place: Its name for messages.
    /// - Throws: If it is neither a TCP nor a Unix socket.
    convenience init(passed socket: consuming Socket, as place: String) throws(TransportError) {
        let descriptor = socket.descriptor
        var local = attache_address()
        var name = [UInt8](repeating: 0, count: UnixAddress.byteLimit + 1)
        let address: ListenerAddress
        // SAFETY: the array is lent for the call, with its size.
        let count = unsafe attache_unix_local(descriptor, &name, name.count)
        if count >= 0 {
            address = .unix(UnixAddress(String(decoding: name.prefix(count), as: UTF8.self)))
            // SAFETY: the address is lent for the call.
        } else if unsafe attache_socket_local(descriptor, &local) {
            _ = attache_socket_no_delay(descriptor)
            let tcp = SocketAddress(local)
            if tcp.ip.isLoopback { _ = attache_socket_no_pacing(descriptor) }
            address = .tcp(tcp)
        } else {
            throw TransportError(
                .system,
                "cannot listen on \(place): the socket that was passed is neither a TCP nor a Unix socket; correct "
                    + "ListenStream= in the .socket unit")
        }
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { throw TransportError(system: errno, "cannot use the socket of \(place)") }
        self.init(socket, address, isPassed: true)
    }

    deinit { close() }

    /// As many as the kernel may hold (net.core.somaxconn).
    package static let standardBacklog: Int32 = 4096

    /// A socket of the same address, for another loop.
    ///
    /// TCP sockets share the port (`reusePort`), so that the kernel distributes connections. All copies of a Unix
    /// socket, and of one that was passed, are the same one.
    package func another() throws(TransportError) -> BoundSocket {
        switch address {
        case .tcp where isPassed: try copy()
        case .tcp(let address): try BoundSocket(address, reusePort: true)
        case .unix: try copy()
        }
    }

    private func copy() throws(TransportError) -> BoundSocket {
        let copied = state.withLock { state in
            state.descriptor >= 0 ? fcntl(state.descriptor, F_DUPFD_CLOEXEC, 0) : Int32(-1)
        }
        guard copied >= 0 else { throw TransportError(system: errno, "cannot copy the socket of \(address)") }
        return BoundSocket(Socket(owning: copied), address, isPassed: isPassed)
    }

    /// The descriptor; -1 once closed.
    var descriptor: Int32 { state.withLock { $0.descriptor } }

    /// Removes the file and stops listening; the kernel resets connections that wait in it.
    package func close() {
        let descriptor = state.withLock { state in
            // Before the descriptor is closed: as long as it is open, no other file can have the number of this one.
            state.file?.remove()
            state.file = nil
            defer { state.descriptor = -1 }
            return state.descriptor
        }
        if descriptor >= 0 { Glibc.close(descriptor) }
    }
}
