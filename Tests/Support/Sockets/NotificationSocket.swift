import Glibc

/// The receiver of a service manager's notifications (sd_notify(3)).
package final class NotificationSocket: Sendable {
    private let descriptor: Int32

    /// Listens at a path, or at `@` and a name in the abstract namespace.
    package init(_ name: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SocketError("socket", errno) }
        let result = sockaddr_un.withAddress(name) { bind(descriptor, $0, $1) }
        guard result == 0 else { throw SocketError("bind", errno) }
        var patience = timeval(tv_sec: Int(Patience.limit.components.seconds), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// The lines of the next message.
    package func receive() throws -> [String] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw SocketError("recv", errno) }
        return String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map { String($0) }
    }
}
