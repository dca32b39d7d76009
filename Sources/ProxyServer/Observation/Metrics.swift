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

/// A histogram of durations with the default buckets of Prometheus' clients, the first of which ends at 1 ms.
///
/// Allocates nothing.
struct Histogram: Sendable {
    /// The upper bounds in seconds, as the metrics page writes them.
    static let bounds = [
        "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10",
    ]
    private static let limits: InlineArray<13, Int64> = [
        1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000, 500_000_000,
        1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
    ]

    private var slots = InlineArray<14, UInt64>(repeating: 0)
    private(set) var sumNanoseconds: UInt64 = 0

    /// The count of each bucket, not cumulative; the last one is for all longer durations.
    var counts: [UInt64] { slots.indices.map { slots[$0] } }

    /// - Parameter value: in nanoseconds.
    mutating func observe(_ value: Int64) {
        sumNanoseconds &+= UInt64(max(0, value))
        var index = 0
        while index < 13, value > Self.limits[index] { index += 1 }
        slots[index] += 1
    }

    mutating func add(_ other: Histogram) {
        for index in slots.indices { slots[index] += other.slots[index] }
        sumNanoseconds &+= other.sumNanoseconds
    }
}
