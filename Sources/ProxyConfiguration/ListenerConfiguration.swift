import HTTPWire

/// The address of a listener, and how it serves apps.
package struct ListenerConfiguration: Equatable, Sendable, CustomStringConvertible {
    package let address: ListenAddress
    package var mode: ListenerMode
    /// The names of the routes that a forward listener serves; nil for all.
    package var routes: [String]?
    /// The clients that may use it, each with the routes of every entry that is for it; nil for all.
    package var allow: [ClientRule]?
    /// The file with the users and passwords that requests must have one of; nil if none is demanded.
    package var passwordFile: String?
    /// The names by which requests may address an admin listener, beside `localhost` and IP addresses.
    package var hosts: [String] = []
    /// The setting that names the address, as in `attache.yaml:2:14: listeners[0].address` or `--listen`; ignored by `==`.
    package var place: String?

    package init(
        address: ListenAddress, mode: ListenerMode = .forward, routes: [String]? = nil, allow: [ClientRule]? = nil,
        passwordFile: String? = nil
    ) {
        self.address = address
        self.mode = mode
        self.routes = routes
        self.allow = allow
        self.passwordFile = passwordFile
    }

    package init(host: String, port: UInt16, mode: ListenerMode = .forward, routes: [String]? = nil) {
        self.init(address: .tcp(host: host, port: port), mode: mode, routes: routes)
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.address == right.address && left.mode == right.mode && left.routes == right.routes
            && left.allow == right.allow && left.passwordFile == right.passwordFile && left.hosts == right.hosts
    }

    package var description: String { "\(address)" }

    /// The port; nil for a Unix socket.
    package var port: UInt16? { address.port }

    /// The address and what the listener serves.
    package var summary: String {
        guard case .systemd = address else { return "\(self)\(service)\(clients)" }
        return "\(self) (systemd passes the socket at the start; its address is not checked here)\(service)\(clients)"
    }

    private var clients: String {
        let users = passwordFile == nil ? "" : ", with passwords"
        return users + (allow.map { ", for \($0.map(\.description).joined(separator: ", "))" } ?? "")
    }

    /// What the listener serves, if that is not all routes as a proxy: `, gateway to route orders`.
    package var service: String {
        if let route = mode.route { return ", gateway to route \(route)" }
        guard let routes else { return "" }
        if routes.isEmpty { return ", no route" }
        return ", route\(routes.count == 1 ? "" : "s") \(routes.joined(separator: ", "))"
    }

    /// Whether the listener serves a route to a proxy's requests of some client.
    package func forwards(_ route: String) -> Bool {
        mode == .forward && routes?.contains(route) ?? true && allow?.contains { $0.takes(route) } ?? true
    }

    /// The same listener as the clients of each entry of `allow` see it.
    var views: [ListenerConfiguration] {
        allow.map { rules in
            rules.map { ListenerConfiguration(address: address, mode: mode, routes: $0.routes ?? routes) }
        }
            ?? [self]
    }
}

/// Where a listener listens.
package enum ListenAddress: Equatable, Sendable, CustomStringConvertible {
    /// The host is an IP address, IPv6 without brackets; port 0 lets the system choose one.
    case tcp(host: String, port: UInt16)
    /// A Unix socket: an absolute path, or `@` and an abstract name.
    case unix(String, SocketFileConfiguration = SocketFileConfiguration())

    /// A socket that systemd passes at the start, by its name; nil for the only one.
    case systemd(String?, allowsNonLoopback: Bool = false)

    /// The port; nil for a Unix socket, and for one that systemd passes.
    package var port: UInt16? {
        switch self {
        case .tcp(_, let port): port
        case .unix, .systemd: nil
        }
    }

    /// Whether it is known to be a Unix socket.
    var isUnix: Bool {
        switch self {
        case .unix: true
        case .tcp, .systemd: false
        }
    }

    /// Whether only this machine can reach it, as far as the configuration tells.
    package var isLoopback: Bool {
        switch self {
        case .tcp(let host, _): (try? Host(host))?.isLoopback ?? false
        case .unix, .systemd: true
        }
    }

    package var description: String {
        switch self {
        case .tcp(let host, let port): "\(Host.inURI(host)):\(port)"
        case .unix(let path, _): "unix:\(path)"
        case .systemd(let name, _): name.map { "systemd:\($0)" } ?? "systemd"
        }
    }
}

/// Who may connect to the file of a Unix socket.
package struct SocketFileConfiguration: Equatable, Sendable {
    /// The permission bits.
    package var mode: UInt32
    /// The numbers of user and group; nil for those of the process.
    package var user: UInt32?
    package var group: UInt32?

    package init(mode: UInt32 = 0o600, user: UInt32? = nil, group: UInt32? = nil) {
        self.mode = mode
        self.user = user
        self.group = group
    }
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
