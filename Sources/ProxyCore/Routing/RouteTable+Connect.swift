package import HTTPWire

extension RouteTable {
    /// Decides about a CONNECT: `connect.deny` first, then the first route of the host that says something, then
    /// `connect.allow`.
    package func decideConnect(host: ByteRange, port: UInt16, in bytes: Span<UInt8>) -> ConnectDecision {
        let name = TargetHost(host, in: bytes).withBare(in: bytes, Self.text)
        guard !connect.deny.contains(where: { $0.takes(name, port) }) else { return .forbidden }
        let routed = routeIndices(forConnectTo: host, port: port, in: bytes)
        for index in routed {
            switch routes[index].connect ?? (routes[index].credential == nil ? nil : connect.routes) {
            case .deny: return .denied(route: index)
            case .tunnel: return .tunnel(host: name, port: port, route: index, trust: .host)
            case .terminate: return .terminate(host: name, port: port, route: index)
            case nil: continue
            }
        }
        guard let pattern = connect.allow.first(where: { $0.takes(name, port) }) else { return .denied(route: nil) }
        let host = try? Host(name)
        // The address of `localhost` is as fixed as one that is written.
        let isAddress = host.map { $0.isAddress || $0.isLoopback } ?? false
        let trust: DestinationTrust =
            pattern.host == .exact(name) && isAddress ? .address : routed.isEmpty ? .none : .host
        return .tunnel(host: name, port: port, route: nil, trust: trust)
    }

    /// Whether a route takes `http` URLs of the host without a port.
    package func takesDefaultPort(_ host: ByteRange, in bytes: Span<UInt8>) -> Bool {
        !routeIndices(forHost: host, port: nil, in: bytes).isEmpty
    }

    /// The routes that take some request to the destination of a CONNECT.
    ///
    /// The ports 80 and 443 also stand for a URL without a port, as clients add them. In the order of the routes.
    package func routeIndices(forConnectTo host: ByteRange, port: UInt16, in bytes: Span<UInt8>) -> [Int] {
        let found = routeIndices(forHost: host, port: port, in: bytes)
        guard port == 443 || port == 80 else { return found }
        return Set(found).union(routeIndices(forHost: host, port: nil, in: bytes)).sorted()
    }
}
