import HTTPWire

/// The address of a listener, and how it serves apps.
///
/// The host is an IP address, IPv6 without brackets; port 0 lets the system choose one.
package struct ListenerConfiguration: Equatable, Sendable, CustomStringConvertible {
    package let host: String
    package let port: UInt16
    package var mode: ListenerMode
    /// The setting that names the address, as in `attache.yaml:2:14: listeners[0].address` or `--listen`; ignored by `==`.
    package var place: String?

    package init(host: String, port: UInt16, mode: ListenerMode = .forward) {
        self.host = host
        self.port = port
        self.mode = mode
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.host == right.host && left.port == right.port && left.mode == right.mode
    }

    package var description: String { "\(Host.inURI(host)):\(port)" }

    /// The address and, of a gateway, its route.
    package var summary: String { mode.route.map { "\(self), gateway to route \($0)" } ?? description }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool { (try? Host(host))?.isLoopback ?? false }
}

/// What a listener takes an app's requests for.
package enum ListenerMode: Equatable, Sendable {
    /// For requests to a proxy, which name their destination.
    case forward
    /// For requests to the backend of a route. `hosts` are names by which apps may address the listener, beside
    /// `localhost` and IP addresses.
    case gateway(route: String, hosts: [String] = [])

    /// The route of a gateway; nil for a forward listener.
    package var route: String? {
        if case .gateway(let route, _) = self { route } else { nil }
    }
}
