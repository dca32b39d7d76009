import CLibevent
import Glibc

/// An IP address with a port, printed as `127.0.0.1:80` or `[::1]:80`.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    package let ip: IPAddress
    package let port: UInt16

    package init(_ ip: IPAddress, port: UInt16) {
        self.ip = ip
        self.port = port
    }

    init(_ raw: attache_address) {
        self.init(IPAddress(raw), port: raw.port)
    }

    var raw: attache_address {
        attache_address(high: ip.high, low: ip.low, scope: ip.scope, port: port, is_ipv6: ip.isIPv6)
    }

    package var description: String { ip.isIPv6 ? "[\(ip)]:\(port)" : "\(ip):\(port)" }
}

/// A connected stream socket without an owner yet; closed when it is dropped.
package struct Socket: ~Copyable {
    /// The peer's address; nil if the system knows none, as for a pair from `socketpair`.
    package let peer: SocketAddress?
    let descriptor: Int32

    /// Takes over a connected, non-blocking descriptor.
    package init(owning descriptor: Int32, peer: SocketAddress? = nil) {
        self.descriptor = descriptor
        self.peer = peer
    }

    deinit { Glibc.close(descriptor) }

    /// Hands over the descriptor; the caller closes it from now on.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }
}
