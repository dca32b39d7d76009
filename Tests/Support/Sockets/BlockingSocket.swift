package import Glibc

/// One end of a TCP connection, used by one thread that may block in it.
///
/// Only `interrupt` may come from another thread.
package final class BlockingSocket: Sendable {
    private let descriptor: Int32
    private let isOpen = Monitor(true)

    package init(descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Connects to a port of 127.0.0.1; `receiveBuffer` bounds what the kernel takes in before anybody reads.
    package convenience init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SocketError("socket", errno) }
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in.loopback(port: port)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw SocketError("connect", code)
        }
        self.init(descriptor: descriptor)
    }

    /// Connects to a Unix socket: a path, or `@` and an abstract name.
    package convenience init(path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SocketError("socket", errno) }
        guard sockaddr_un.withAddress(path, { connect(descriptor, $0, $1) }) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw SocketError("connect", code)
        }
        self.init(descriptor: descriptor)
    }

    deinit {
        close()
    }

    /// Our own port.
    package var port: UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// How many bytes the other end's system has not acknowledged.
    package var unacknowledgedByteCount: Int {
        var count: Int32 = 0
        // SIOCOUTQ, which Glibc's module leaves out.
        return ioctl(descriptor, 0x5411, &count) == 0 ? Int(count) : 0
    }

    package func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            sent += try sendSome(bytes[sent...])
            if sent < bytes.count { try wait(for: POLLOUT, "send") }
        }
    }

    /// Sends what the kernel takes at once, perhaps nothing, and returns how many bytes that were.
    package func sendSome(_ bytes: ArraySlice<UInt8>) throws -> Int {
        let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count >= 0 { return count }
        guard errno == EAGAIN || errno == EINTR else { throw SocketError("send", errno) }
        return 0
    }

    /// What has arrived, at least one byte; empty at the peer's orderly end.
    package func receive(atMost limit: Int = 65536) throws -> [UInt8] {
        while true {
            let code: Int32
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
                count = recv(descriptor, buffer.baseAddress, limit, 0)
                initialized = max(count, 0)
            }
            code = errno
            if count >= 0 { return bytes }
            guard code == EAGAIN || code == EINTR else { throw SocketError("recv", code) }
            try wait(for: POLLIN, "receive")
        }
    }

    /// Whether the socket takes more bytes within `time`: false says that the peer has stopped reading.
    package func canSend(within time: Duration) -> Bool {
        var poller = pollfd(descriptor: descriptor, events: POLLOUT)
        return poll(&poller, 1, Int32(time / .milliseconds(1))) > 0
    }

    /// Whether bytes, an end or an error can be received within `time`.
    package func canReceive(within time: Duration) -> Bool {
        var poller = pollfd(descriptor: descriptor, events: POLLIN)
        return poll(&poller, 1, Int32(time / .milliseconds(1))) > 0
    }

    /// Sends a FIN: the peer sees an orderly end, reading goes on.
    package func endWriting() {
        isOpen.access { if $0 { shutdown(descriptor, Int32(SHUT_WR)) } }
    }

    /// From any thread: wakes the owner from a wait, with an end of the stream.
    package func interrupt() {
        isOpen.access { if $0 { shutdown(descriptor, Int32(SHUT_RDWR)) } }
    }

    /// Closes with a reset instead of an orderly end.
    package func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    package func close() {
        isOpen.access {
            if $0 { Glibc.close(descriptor) }
            $0 = false
        }
    }

    private func wait(for events: Int32, _ what: String) throws {
        var poller = pollfd(descriptor: descriptor, events: events)
        let deadline = ContinuousClock.now + Patience.limit
        while true {
            let left = max(0, (deadline - ContinuousClock.now) / .milliseconds(1))
            let ready = poll(&poller, 1, Int32(left))
            if ready > 0 { return }
            if ready == 0 { throw SocketError.timedOut(what) }
            guard errno == EINTR else { throw SocketError("poll", errno) }
        }
    }
}

extension pollfd {
    init(descriptor: Int32, events: Int32) {
        self.init(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
    }
}

extension sockaddr_in {
    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

extension sockaddr_un {
    /// Lends the address of a path, or of `@` and an abstract name.
    package static func withAddress<Result>(
        _ name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isAbstract = name.hasPrefix("@")
        let bytes = Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            for (index, byte) in bytes.enumerated() { path[index] = index == 0 && isAbstract ? 0 : byte }
        }
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).unsafelyUnwrapped
        let size = start + bytes.count + (isAbstract ? 0 : 1)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
        }
    }
}
