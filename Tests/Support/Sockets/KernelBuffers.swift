import Glibc

/// Makes the kernel keep as little as it can between two sockets of this process, so that a few KiB wait in whoever sends.
package enum KernelBuffers {
    /// Of what is sent to this port over the connections that there are.
    package static func shrinkSending(toPort port: UInt16) {
        shrink(SO_SNDBUF, ofSocketsWith: port) { getpeername($0, $1, $2) }
    }

    /// Of what will come to this listening port over connections still to be made.
    package static func shrinkReceiving(onPort port: UInt16) {
        shrink(SO_RCVBUF, ofSocketsWith: port) { getsockname($0, $1, $2) }
    }

    /// Makes a buffer of every socket the smallest whose port, at the end that `look` looks at, is this one.
    private static func shrink(
        _ buffer: Int32, ofSocketsWith port: UInt16,
        _ look: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) {
        for descriptor in 0..<Int32(65_536) {
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { look(descriptor, $0, &size) }
            }
            guard result == 0, address.sin_family == AF_INET, UInt16(bigEndian: address.sin_port) == port else {
                continue
            }
            var smallest: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, buffer, &smallest, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}
