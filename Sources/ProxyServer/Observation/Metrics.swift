import ProxyCore

/// One worker's counters, written without locks on its loop and read by the admin listener.
///
/// A request finds each counter by an index.
struct Metrics: Sendable {
    /// The counters by route; the last row is for requests without one.
    private(set) var routes: [RouteMetrics]
    /// How often backends refused a token, by credential.
    private(set) var refusedTokens: [UInt64]
    var tunnels = TunnelCounts()
    var acceptedConnections: UInt64 = 0
    var refusedConnections: UInt64 = 0
    /// How often connections had to wait because file descriptors ran low.
    var acceptPauses: UInt64 = 0
    var downstreamConnections = 0
    var upstreamConnections = 0
    var droppedLogLines: UInt64 = 0
    /// The certificates of backends, by the route's index.
    var backendCertificates: [BackendCertificate?] = []

    init(routeCount: Int, credentialCount: Int = 0) {
        routes = Array(repeating: RouteMetrics(), count: routeCount + 1)
        refusedTokens = Array(repeating: 0, count: credentialCount)
    }

    mutating func count(route: Int?, status: Int, nanoseconds: Int64) {
        routes[route ?? routes.count - 1].count(status: status, nanoseconds: nanoseconds)
    }

    mutating func count(_ retry: Retry, route: Int?) { routes[route ?? routes.count - 1].count(retry) }

    mutating func countRefusedToken(credential: Int) { refusedTokens[credential] += 1 }

    /// Adds another worker's counters.
    mutating func add(_ other: Metrics) {
        for index in routes.indices { routes[index].add(other.routes[index]) }
        for index in refusedTokens.indices { refusedTokens[index] += other.refusedTokens[index] }
        for (index, found) in zip(backendCertificates.indices, other.backendCertificates) {
            guard let found else { continue }
            if let known = backendCertificates[index], known.seenAt >= found.seenAt { continue }
            backendCertificates[index] = found
        }
        tunnels.add(other.tunnels)
        acceptedConnections += other.acceptedConnections
        refusedConnections += other.refusedConnections
        acceptPauses += other.acceptPauses
        downstreamConnections += other.downstreamConnections
        upstreamConnections += other.upstreamConnections
        droppedLogLines += other.droppedLogLines
    }
}
