import EventTransport
import Glibc
import Support
import Testing

/// The other side of a stream under test: a descriptor used by plain system calls, closed when released.
final class RawPeer {
    private(set) var descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close() }

    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Closes with a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        close()
    }

    func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// What is there, without waiting; nil at the end of the stream or when it is broken.
    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count == 0 || (count < 0 && errno != EAGAIN) { return nil }
        return Array(buffer.prefix(max(0, count)))
    }

    /// What comes next, for which it waits; nil at the end of the stream or when it is broken, or if nothing comes.
    func receiveNext() -> [UInt8]? { waitToReceive() ? receive() : nil }

    private func waitToReceive() -> Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, Int32(Patience.limit.components.seconds) * 1000) == 1
    }

    /// What the stream ends with: 0 for its end, an errno for a break; nil if more bytes come, or nothing does.
    ///
    /// Waits: a process that another test has begun holds copies of all descriptors until it becomes another program.
    func end() -> Int32? {
        guard waitToReceive() else { return nil }
        var byte: UInt8 = 0
        switch recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) {
        case 0: return 0
        case 1: return nil
        default: return errno
        }
    }

    /// The errno of a read that finds the connection broken, 0 otherwise.
    func receiveError() -> Int32 {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) < 0 ? errno : 0
    }

    func setReceiveBufferSize(_ size: Int32) {
        var size = size
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// A connection under test and its peer.
struct StreamPair {
    let connection: StreamConnection
    let peer: RawPeer

    /// Over a pair of Unix sockets: what one side does the other sees at once.
    static func local(_ loop: EventLoop) -> StreamPair {
        var descriptors: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        precondition(socketpair(AF_UNIX, kind, 0, &descriptors) == 0)
        precondition(fcntl(descriptors[0], F_SETFL, O_NONBLOCK) == 0)
        return StreamPair(
            connection: StreamConnection(Socket(owning: descriptors[0]), loop: loop), peer: RawPeer(descriptors[1]))
    }

    /// Over TCP on the loopback interface, where there are resets.
    static func tcp(_ loop: EventLoop, peerReceiveBufferSize: Int32? = nil) throws -> StreamPair {
        var accepted: StreamConnection?
        let listener = try Listener(loop: loop, address: .loopback(), reusePort: false) { socket in
            accepted = StreamConnection(socket, loop: loop)
        }
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let peer = RawPeer(descriptor)
        if let peerReceiveBufferSize { peer.setReceiveBufferSize(peerReceiveBufferSize) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = listener.tcp.port.bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(result == 0, "cannot connect to the test's own listener")
        loop.runUntil { accepted != nil }
        guard let accepted else { preconditionFailure("nothing was accepted") }
        return StreamPair(connection: accepted, peer: peer)
    }
}

extension SocketAddress {
    /// 127.0.0.1, with a port that the kernel picks unless given.
    static func loopback(port: UInt16 = 0) -> SocketAddress { SocketAddress(.loopbackV4, port: port) }
}

extension Listener {
    /// Listens on a TCP address of its own.
    convenience init(
        loop: EventLoop, address: SocketAddress, backlog: Int32 = BoundSocket.standardBacklog, reusePort: Bool,
        descriptors: @escaping () -> DescriptorUse = { DescriptorUse(open: 0, kept: 0) },
        accepted: @escaping (consuming Socket) -> Void
    ) throws(TransportError) {
        self.init(
            loop: loop, socket: try BoundSocket(address, backlog: backlog, reusePort: reusePort),
            descriptors: descriptors, accepted: accepted)
    }

    /// The address of a TCP listener.
    var tcp: SocketAddress { address.tcpAddress ?? .loopback() }
}
