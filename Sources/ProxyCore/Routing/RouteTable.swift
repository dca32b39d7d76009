package import HTTPWire

/// The routes, indexed by host, so that finding one costs the same with one route or a thousand.
///
/// Immutable; a copy may be used on any thread.
package struct RouteTable: Sendable {
    /// The routes in the order of the configuration; decisions name them by index.
    package let routes: [Route]
    package let unmatched: UnmatchedPolicy
    package let connect: ConnectRules
    private let hasFixedOrigin: [Bool]
    private let deniesHTTPSTargets: [Bool]
    private let matchers: [RouteMatcher]
    /// Whether the authority alone decides that a request takes the route, by index.
    private let isDecidedByAuthority: [Bool]
    /// The indices of the routes that take requests.
    private let served: [Int]
    private let exactHosts: HostIndex
    private let hostSuffixes: HostIndex

    package init(routes: [Route], unmatched: UnmatchedPolicy, connect: ConnectRules = ConnectRules()) {
        self.routes = routes
        self.unmatched = unmatched
        self.connect = connect
        hasFixedOrigin = routes.map { Self.fixedOrigin(of: $0) != nil }
        deniesHTTPSTargets = routes.map(\.deniesHTTPSTargets)
        matchers = routes.map { RouteMatcher($0) }
        served = Array(routes.indices)
        (exactHosts, hostSuffixes) = Self.hosts(of: routes, served)
        isDecidedByAuthority = Self.decidedByAuthority(matchers, exactHosts, hostSuffixes)
    }

    /// The same table, in which only the routes with these names take requests; they keep their indices.
    private init(_ table: RouteTable, serving names: Set<String>) {
        routes = table.routes
        unmatched = table.unmatched
        connect = table.connect
        hasFixedOrigin = table.hasFixedOrigin
        deniesHTTPSTargets = table.deniesHTTPSTargets
        matchers = table.matchers
        served = table.served.filter { names.contains(table.routes[$0].name) }
        (exactHosts, hostSuffixes) = Self.hosts(of: routes, served)
        isDecidedByAuthority = Self.decidedByAuthority(matchers, exactHosts, hostSuffixes)
    }

    /// The table of a listener that serves only the routes with these names; nil stands for all routes.
    package func serving(_ names: [String]?) -> RouteTable {
        names.map { RouteTable(self, serving: Set($0)) } ?? self
    }

    private static func hosts(of routes: [Route], _ served: [Int]) -> (exact: HostIndex, suffixes: HostIndex) {
        var exact: [(String, Int)] = []
        var suffixes: [(String, Int)] = []
        for index in served {
            switch routes[index].match.host {
            case .exact(let host): exact.append((host, index))
            case .suffix(let suffix): suffixes.append((suffix, index))
            case .nothing: break
            }
        }
        return (HostIndex(exact), HostIndex(suffixes))
    }

    /// A route is decided by the authority if it takes all paths and methods of its host, and no other route may take the
    /// host.
    private static func decidedByAuthority(
        _ matchers: [RouteMatcher], _ exactHosts: HostIndex, _ hostSuffixes: HostIndex
    ) -> [Bool] {
        guard hostSuffixes.isEmpty else { return matchers.map { _ in false } }
        return matchers.map { $0.takesAllOfHost && exactHosts.find(HostHash.of($0.hostText)).count == 1 }
    }

    /// Whether every request with the same scheme and authority takes the route that `decide` has found for one of them.
    package func isDecidedByAuthority(_ index: Int) -> Bool { isDecidedByAuthority[index] }

    /// The origin of all requests of a route; nil if it depends on the requested host.
    package static func fixedOrigin(of route: Route) -> Origin? {
        switch (route.upstream, route.match.host, route.match.port) {
        case (.origin(let origin), _, _): origin
        case (.requestedHostOverTLS, .exact(let host), .schemeDefault): Origin(scheme: .https, host: host, port: 443)
        case (.requestedHostOverTLS, .exact(let host), .exactly(let port)):
            Origin(scheme: .https, host: host, port: port == 80 ? 443 : port)
        case (.requestedHostOverTLS, _, _): nil
        }
    }

    /// Decides where a request goes, by its target and method but not by its `Host`; the first matching route wins.
    package func decide(_ head: borrowing RequestHead, in bytes: Span<UInt8>) -> RouteDecision {
        guard case .absolute(let scheme, let host, let port, let path) = head.target else { return .notForAProxy }
        let asked = TargetHost(host, in: bytes)
        let best = asked.withBare(in: bytes) { name in firstMatch(head, name, port, path, in: bytes) }
        guard let best else {
            guard case .forward = unmatched else { return .denied }
            let name = Self.unmatchedName(asked, host, in: bytes)
            return .unmatched(Origin(scheme: scheme, host: name, port: port ?? scheme.defaultPort))
        }
        if case .https = scheme, deniesHTTPSTargets[best] { return .plaintextDenied(best) }
        if hasFixedOrigin[best] { return .route(best) }
        let number = port ?? 443
        let name = asked.withBare(in: bytes, Self.text)
        return .requestedHost(best, Origin(scheme: .https, host: name, port: number == 80 ? 443 : number))
    }

    /// The indices of the routes that take some request for an `http` URL of a host and port, whatever its path and method.
    ///
    /// Searches all routes, so it is for CONNECT and refusals only.
    func routeIndices(forHost host: ByteRange, port: UInt16?, in bytes: Span<UInt8>) -> [Int] {
        let target = RequestTarget.absolute(
            scheme: .http, host: host, port: port, path: ByteRange(host.upperBound, host.upperBound))
        return TargetHost(host, in: bytes).withBare(in: bytes) { name in
            var found: [Int] = []
            for index in served where matchers[index].takes(host: name, port: port, of: target) {
                found.append(index)
            }
            return found
        }
    }

    /// The first route for a host, whatever the port; nil if no route is for it.
    ///
    /// Searches all routes, so it is for refusals only.
    package func firstRoute(forHost host: ByteRange, in bytes: Span<UInt8>) -> Route? {
        TargetHost(host, in: bytes).withBare(in: bytes) { name in
            for index in served where matchers[index].takes(host: name) { return routes[index] }
            return nil
        }
    }

    /// The route that comes closest to taking a request that no route takes, and why it does not; nil if no route
    /// takes its host.
    ///
    /// Searches all routes, so it is for refusals only.
    package func nearestMiss(_ head: borrowing RequestHead, in bytes: Span<UInt8>) -> (route: Route, miss: RouteMiss)? {
        guard case .absolute(_, let host, let port, let path) = head.target else { return nil }
        return TargetHost(host, in: bytes).withBare(in: bytes) { name in
            var nearest: (index: Int, miss: RouteMiss)?
            for index in served {
                guard let miss = matchers[index].miss(head, host: name, port: port, path: path, in: bytes) else {
                    continue
                }
                if nearest.map({ $0.miss < miss }) ?? true { nearest = (index, miss) }
            }
            return nearest.map { (routes[$0.index], $0.miss) }
        }
    }

    /// Why a route does not take a request to its gateway listener, whose host and port do not matter; nil if it does.
    package func gatewayMiss(_ head: borrowing RequestHead, route index: Int, in bytes: Span<UInt8>) -> RouteMiss? {
        let path: ByteRange =
            switch head.target {
            case .origin(let path): path
            case .absolute(_, _, _, let path): path
            case .asterisk, .authority: ByteRange(0, 0)
            }
        return matchers[index].missBelowHost(head, path: path, in: bytes)
    }

    /// The index of the first route that takes the request.
    private func firstMatch(
        _ head: borrowing RequestHead, _ host: Span<UInt8>, _ port: UInt16?, _ path: ByteRange, in bytes: Span<UInt8>
    ) -> Int? {
        var best = firstMatch(exactHosts, head, host, host, port, path, in: bytes, below: nil)
        guard !hostSuffixes.isEmpty else { return best }
        for start in host.indices where host[start] == UInt8(ascii: ".") {
            guard start > 0 else { continue }
            let suffix = host.extracting(start...)
            best = firstMatch(hostSuffixes, head, suffix, host, port, path, in: bytes, below: best) ?? best
        }
        return best
    }

    /// The first match among the routes listed in `candidates` under `key`.
    private func firstMatch(
        _ candidates: HostIndex, _ head: borrowing RequestHead, _ key: Span<UInt8>, _ host: Span<UInt8>,
        _ port: UInt16?, _ path: ByteRange, in bytes: Span<UInt8>, below limit: Int?
    ) -> Int? {
        for position in candidates.find(HostHash.of(key)) {
            let index = candidates[position]
            if let limit, index >= limit { return nil }
            if matchers[index].matches(head, host: host, port: port, path: path, in: bytes) { return index }
        }
        return nil
    }

    /// The host to resolve; a final dot stays, because it keeps the resolver from trying its search domains.
    private static func unmatchedName(_ asked: TargetHost, _ host: ByteRange, in bytes: Span<UInt8>) -> String {
        switch asked {
        case .name: text(bytes.extracting(host.lowerBound..<host.upperBound))
        case .address: asked.withBare(in: bytes, text)
        }
    }

    static func text(_ host: Span<UInt8>) -> String {
        var lower: [UInt8] = []
        lower.reserveCapacity(host.count)
        for index in host.indices { lower.append(ASCII.lowercased(host[index])) }
        return String(decoding: lower, as: UTF8.self)
    }
}

/// What the routing table decides about a request.
package enum RouteDecision: Equatable, Sendable {
    /// The index of a route with its own origin.
    case route(Int)
    /// The index of a route that leaves the host to the request, and the origin that the request names.
    case requestedHost(Int, Origin)
    /// The index of a route that would send a request for an `https` URL over `http`.
    case plaintextDenied(Int)
    /// No route, but the configuration forwards such requests, always without a credential.
    case unmatched(Origin)
    /// No route, and the configuration denies such requests.
    case denied
    /// Not in absolute-form, so the request does not name its destination.
    case notForAProxy

    /// The index of the route that takes the request; nil if none does.
    package var routeIndex: Int? {
        switch self {
        case .route(let index), .requestedHost(let index, _), .plaintextDenied(let index): index
        case .unmatched, .denied, .notForAProxy: nil
        }
    }
}

/// Why a route does not take a request for its host; a later case means that more of the request matches.
package enum RouteMiss: Int, Comparable, Sendable {
    case port
    case path
    case method

    package static func < (one: RouteMiss, other: RouteMiss) -> Bool { one.rawValue < other.rawValue }
}

/// What happens to a request that no route takes.
package enum UnmatchedPolicy: Equatable, Sendable {
    case deny
    /// The request is forwarded to the origin that it names, always without a credential.
    case forward
}
