import HTTPWire

/// The address of a listener.
///
/// The host is an IP address, IPv6 without brackets; port 0 lets the system choose one.
package struct ListenerConfiguration: Equatable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: UInt16
    /// The setting that names the address, as in `attache.yaml:2:14: listeners[0].address` or `--listen`; ignored by `==`.
    package var place: String?

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    package static func == (left: Self, right: Self) -> Bool { left.host == right.host && left.port == right.port }

    package var description: String { "\(Host.inURI(host)):\(port)" }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool { (try? Host(host))?.isLoopback ?? false }
}
