import Glibc

/// The receiver of a service manager's notifications (sd_notify(3)).
package final class NotificationSocket: Sendable {
    private let descriptor: Int32

    /// Listens at a path, or at `@` and a name in the abstract namespace.
    package init(_ name: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SocketError("socket", errno) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            for (index, byte) in bytes.enumerated() { path[index] = index == 0 && byte == UInt8(ascii: "@") ? 0 : byte }
        }
        let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).unsafelyUnwrapped + bytes.count
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(size)) }
        }
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
