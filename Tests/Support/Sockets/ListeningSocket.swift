import Glibc

/// A listening port of 127.0.0.1 that one thread accepts from.
package final class ListeningSocket: Sendable {
    package let port: UInt16
    package let descriptor: Int32
    private let isOpen = Monitor(true)

    /// Listens on a free port, or on the one given.
    package init(port wanted: UInt16 = 0, backlog: Int32 = 512) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SocketError("socket", errno) }
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in.loopback(port: wanted)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                guard bind(descriptor, $0, size) == 0, listen(descriptor, backlog) == 0 else { return errno }
                return getsockname(descriptor, $0, &size) == 0 ? 0 : errno
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard result == 0 else {
            Glibc.close(descriptor)
            throw SocketError("listen", result)
        }
    }

    deinit {
        close()
    }

    /// The next connection; nil once interrupted.
    package func accept() -> BlockingSocket? {
        while true {
            let accepted = Glibc.accept(descriptor, nil, nil)
            if accepted >= 0 {
                _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
                return BlockingSocket(descriptor: accepted)
            }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }

    /// From any thread: makes `accept` return nil, now and later.
    package func interrupt() {
        isOpen.access { if $0 { shutdown(descriptor, Int32(SHUT_RDWR)) } }
    }

    package func close() {
        isOpen.access {
            if $0 { Glibc.close(descriptor) }
            $0 = false
        }
    }
}
