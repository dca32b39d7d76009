package import HTTPWire

/// The routes, indexed by host, so that finding one costs the same with one route or a thousand.
///
/// Immutable; a copy may be used on any thread.
package struct RouteTable: Sendable {
    /// The routes in the order of the configuration; decisions name them by their index.
    package let routes: [Route]
    package let unmatched: UnmatchedPolicy
    private let hasFixedOrigin: [Bool]
    private let deniesHTTPSTargets: [Bool]
    private let matchers: [RouteMatcher]
    private let exactHosts: [UInt64: [Int]]
    private let hostSuffixes: [UInt64: [Int]]

    package init(routes: [Route], unmatched: UnmatchedPolicy) {
        self.routes = routes
        self.unmatched = unmatched
        hasFixedOrigin = routes.map { Self.fixedOrigin(of: $0) != nil }
        deniesHTTPSTargets = routes.map(\.deniesHTTPSTargets)
        matchers = routes.map { RouteMatcher($0.match) }
        var exact: [UInt64: [Int]] = [:]
        var suffixes: [UInt64: [Int]] = [:]
        for (index, route) in routes.enumerated() {
            switch route.match.host {
            case .exact(let host): exact[HostHash.of(host), default: []].append(index)
            case .suffix(let suffix): suffixes[HostHash.of(suffix), default: []].append(index)
            }
        }
        exactHosts = exact
        hostSuffixes = suffixes
    }

    /// The origin that every request of a route goes to, or nil where it depends on the host asked for.
    package static func fixedOrigin(of route: Route) -> Origin? {
        switch (route.upstream, route.match.host, route.match.port) {
        case (.origin(let origin), _, _): origin
        case (.requestedHostOverTLS, .exact(let host), .schemeDefault): Origin(scheme: .https, host: host, port: 443)
        case (.requestedHostOverTLS, .exact(let host), .exactly(let port)):
            Origin(scheme: .https, host: host, port: port == 80 ? 443 : port)
        case (.requestedHostOverTLS, _, _): nil
        }
    }

    /// Where a request goes, by its target alone; the first route that matches wins.
    package func decide(_ head: borrowing RequestHead, in bytes: Span<UInt8>) -> RouteDecision {
        guard case .absolute(let scheme, let host, let port, let path) = head.target else { return .notForAProxy }
        let asked = TargetHost(host, in: bytes)
        let best = asked.withBare(in: bytes) { name in firstMatch(head, name, port, path, in: bytes) }
        guard let best else {
            guard case .forward = unmatched else { return .denied }
            let target: Scheme = scheme == .https ? .https : .http
            let name = Self.unmatchedName(asked, host, in: bytes)
            return .unmatched(Origin(scheme: target, host: name, port: port ?? target.defaultPort))
        }
        if scheme == .https, deniesHTTPSTargets[best] { return .plaintextDenied(best) }
        if hasFixedOrigin[best] { return .route(best) }
        let number = port ?? 443
        let name = asked.withBare(in: bytes, Self.text)
        return .requestedHost(best, Origin(scheme: .https, host: name, port: number == 80 ? 443 : number))
    }

    /// The first route that takes the request, by its index.
    private func firstMatch(
        _ head: borrowing RequestHead, _ host: Span<UInt8>, _ port: UInt16?, _ path: ByteRange, in bytes: Span<UInt8>
    ) -> Int? {
        var best: Int?
        if let candidates = exactHosts[HostHash.of(host)] {
            best = firstMatch(candidates, head, host, port, path, in: bytes, below: nil)
        }
        guard !hostSuffixes.isEmpty else { return best }
        for start in host.indices where host[start] == UInt8(ascii: ".") {
            guard start > 0, let candidates = hostSuffixes[HostHash.of(host.extracting(start...))] else { continue }
            best = firstMatch(candidates, head, host, port, path, in: bytes, below: best) ?? best
        }
        return best
    }

    private func firstMatch(
        _ candidates: [Int], _ head: borrowing RequestHead, _ host: Span<UInt8>, _ port: UInt16?, _ path: ByteRange,
        in bytes: Span<UInt8>, below limit: Int?
    ) -> Int? {
        for index in candidates {
            if let limit, index >= limit { return nil }
            if matchers[index].matches(head, host: host, port: port, path: path, in: bytes) { return index }
        }
        return nil
    }

    /// The host to resolve; a final dot stays, as it keeps the resolver from trying its search domains.
    private static func unmatchedName(_ asked: TargetHost, _ host: ByteRange, in bytes: Span<UInt8>) -> String {
        switch asked {
        case .name: text(bytes.extracting(host.lowerBound..<host.upperBound))
        case .address: asked.withBare(in: bytes, text)
        }
    }

    private static func text(_ host: Span<UInt8>) -> String {
        var lower: [UInt8] = []
        lower.reserveCapacity(host.count)
        for index in host.indices { lower.append(HostHash.lowercased(host[index])) }
        return String(decoding: lower, as: UTF8.self)
    }
}

/// What the routing table says of a request.
package enum RouteDecision: Equatable, Sendable {
    /// The index of a route with an origin of its own.
    case route(Int)
    /// The index of a route that leaves the host to the request, and the origin that it means.
    case requestedHost(Int, Origin)
    /// The index of a route that would send a request for an `https` URL over `http`.
    case plaintextDenied(Int)
    /// No route, but the configuration lets such requests pass: never with a credential.
    case unmatched(Origin)
    /// No route, and the configuration denies such requests.
    case denied
    /// Not in absolute-form, so it does not say where it wants to go.
    case notForAProxy
}
