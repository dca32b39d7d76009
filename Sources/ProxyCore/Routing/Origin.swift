package import HTTPWire

/// Where a request is sent: scheme, host and port (RFC 9110 section 4.3.1).
///
/// Two origins are the same only if all three parts are equal. So its makers give the host in lower case and an IPv6
/// address without brackets.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: Scheme
    package let host: String
    package let port: UInt16

    package init(scheme: Scheme, host: String, port: UInt16) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Whether the host's text names this machine, as `Host` defines it.
    package var isLoopback: Bool { (try? Host(host))?.isLoopback ?? false }

    package var description: String { "\(scheme.rawValue)://\(Host.inURI(host)):\(port)" }
}
