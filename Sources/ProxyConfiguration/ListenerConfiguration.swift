/// Where to listen.
///
/// The host is an IP address, IPv6 without brackets; port 0 lets the system choose one.
package struct ListenerConfiguration: Equatable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    package var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool { IPLiteral(host)?.isLoopback ?? false }
}
