import CLibevent

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
