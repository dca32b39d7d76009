import Glibc

/// A TCP socket of the bench: everything at once or not at all, nothing ever waits.
final class BenchSocket {
    private(set) var descriptor: Int32
    /// The peer has closed its side, or reset.
    private(set) var hasEnded = false

    init(owning descriptor: Int32) {
        self.descriptor = descriptor
        // The kernel gives the lowest one that is free, and no script has use for half as many.
        require(descriptor < 400, "descriptors are left open")
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    var isOpen: Bool { descriptor >= 0 }

    /// Connects to a port of 127.0.0.1.
    static func connected(to port: UInt16) -> BenchSocket {
        while true {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            shrink(SO_RCVBUF, of: descriptor)
            let status = withLoopback(port) { Glibc.connect(descriptor, $0, $1) }
            if status == 0 { return BenchSocket(owning: descriptor) }
            // libFuzzer's alarm comes every few seconds.
            require(errno == EINTR, "the proxy takes no connection: errno \(errno)")
            Glibc.close(descriptor)
        }
    }

    /// Makes the kernel hold little of what is sent over connections to a port that this process listens on.
    static func shrinkSending(onPort port: UInt16) {
        for descriptor in Int32(0)..<400 {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            if result == 0, UInt16(bigEndian: address.sin_port) == port { shrink(SO_SNDBUF, of: descriptor) }
        }
    }

    private static func shrink(_ buffer: Int32, of descriptor: Int32) {
        var smallest: Int32 = 4096
        setsockopt(descriptor, SOL_SOCKET, buffer, &smallest, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Listens on a free port of 127.0.0.1.
    static func listening() -> (socket: BenchSocket, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        require(
            withLoopback(0) { bind(descriptor, $0, $1) } == 0 && listen(descriptor, 64) == 0, "no port to listen on")
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return (BenchSocket(owning: descriptor), UInt16(bigEndian: address.sin_port))
    }

    /// The next connection that waits.
    func accepted() -> BenchSocket? {
        let descriptor = accept(descriptor, nil, nil)
        return descriptor >= 0 ? BenchSocket(owning: descriptor) : nil
    }

    /// Sends the bytes; what a peer that has gone does not take is lost.
    ///
    /// - Returns: how many left.
    func send(_ bytes: [UInt8]) -> Int {
        guard isOpen, !bytes.isEmpty else { return 0 }
        return max(0, Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)))
    }

    /// Appends what has come.
    ///
    /// - Returns: whether there was anything, the end included.
    func receive(into bytes: inout [UInt8]) -> Bool {
        guard isOpen, !hasEnded else { return false }
        var chunk = [UInt8](repeating: 0, count: 16_384)
        let count = recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
        if count > 0 {
            bytes += chunk.prefix(count)
            return true
        }
        hasEnded = count == 0 || (errno != EAGAIN && errno != EINTR)
        return hasEnded
    }

    func endSending() { if isOpen { shutdown(descriptor, Int32(SHUT_WR)) } }

    func close(resetting: Bool) {
        guard isOpen else { return }
        if resetting {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
        Glibc.close(descriptor)
        descriptor = -1
    }

    private static func withLoopback(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
