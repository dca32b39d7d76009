import CLibevent
import Glibc

/// The address of a Unix socket: an absolute path, or `@` and a name in Linux's abstract namespace.
package struct UnixAddress: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes of a path or of a name with its `@` (unix(7)).
    package static let byteLimit = 107

    package let name: String

    /// The name must have been checked: not empty, without a zero byte, and within `byteLimit`.
    package init(_ name: String) { self.name = name }

    /// Whether the socket has no file, so that its name is free again once it is closed.
    package var isAbstract: Bool { name.hasPrefix("@") }

    package var description: String { "unix:\(name)" }

    var bytes: [UInt8] { Array(name.utf8) }
}

extension StreamConnection {
    /// Connects to a Unix socket, which succeeds or fails at once.
    package static func connected(to address: UnixAddress, loop: EventLoop) throws(TransportError) -> StreamConnection {
        let socket = Socket(owning: attache_unix_open())
        let name = address.bytes
        // SAFETY: the array is lent for the call, with its size.
        guard unsafe attache_unix_connect(socket.descriptor, name, name.count) == 0 else {
            throw TransportError(system: errno, "cannot connect to \(address)")
        }
        return StreamConnection(socket, loop: loop)
    }
}
