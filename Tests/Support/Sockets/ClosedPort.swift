import Glibc

/// A port of 127.0.0.1 on which connections are refused, kept from everybody else until `release`.
package final class ClosedPort: Sendable {
    package let number: UInt16
    private let descriptor: Int32
    private let isHeld = Monitor(true)

    package init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SocketError("socket", errno) }
        self.descriptor = descriptor
        var address = sockaddr_in.loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // Bound but not listening: the kernel refuses connections and gives the port to nobody else.
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                guard bind(descriptor, $0, size) == 0 else { return errno }
                return getsockname(descriptor, $0, &size) == 0 ? 0 : errno
            }
        }
        number = UInt16(bigEndian: address.sin_port)
        guard result == 0 else {
            close(descriptor)
            throw SocketError("bind", result)
        }
    }

    deinit {
        release()
    }

    package func release() {
        isHeld.access {
            if $0 { close(descriptor) }
            $0 = false
        }
    }
}
