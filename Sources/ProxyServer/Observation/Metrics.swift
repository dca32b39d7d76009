import ProxyCore

/// One worker's counters, written without locks on its loop and read by the admin listener.
///
/// A request finds each counter by a stable number.
struct Metrics: Sendable {
    /// The counters by route: the first row is for requests without one, and the row of each route is its number and one.
    private var routes: [RouteMetrics]
    /// How often backends refused a token, by credential.
    private(set) var refusedTokens: [UInt64]
    var tunnels = TunnelCounts()
    var acceptedConnections: UInt64 = 0
    var refusedConnections: UInt64 = 0
    /// How often connections had to wait because file descriptors ran low.
    var acceptPauses: UInt64 = 0
    var downstreamConnections = 0
    var upstreamConnections = 0
    var idleUpstreamConnections = 0
    var openedUpstreamConnections: UInt64 = 0
    var droppedLogLines: UInt64 = 0
    /// Nil without `tracing`.
    var spans: SpanCounts?
    /// The certificates of backends, by the route's number.
    var backendCertificates: [Int: BackendCertificate] = [:]

    init(routeCount: Int, credentialCount: Int = 0) {
        routes = Array(repeating: RouteMetrics(), count: routeCount + 1)
        refusedTokens = Array(repeating: 0, count: credentialCount)
    }

    /// The counters of a route; of requests without one if it is nil.
    subscript(route: Int?) -> RouteMetrics {
        let row = (route ?? -1) + 1
        return row < routes.count ? routes[row] : RouteMetrics()
    }

    /// The numbers of all routes; nil for requests without one.
    var routeNumbers: [Int?] { [nil] + (0..<routes.count - 1).map { $0 } }

    /// Makes room for the counters of further routes and credentials.
    mutating func extend(routeCount: Int, credentialCount: Int) {
        while routes.count < routeCount + 1 { routes.append(RouteMetrics()) }
        while refusedTokens.count < credentialCount { refusedTokens.append(0) }
    }

    /// A request has ended, or a tunnel has opened.
    ///
    /// - Parameters:
    ///   - route: The route's number; nil if none matched.
    ///   - status: The response's status; 0 without a response.
    ///   - nanoseconds: The whole duration.
    ///   - upstream: The time from the sending to the head of the backend's response, in nanoseconds; nil without one.
    ///   - received: The bytes of the request's body.
    ///   - sent: The bytes of the response.
    mutating func count(
        route: Int?, status: Int, nanoseconds: Int64, upstream: Int64? = nil, received: UInt64 = 0, sent: UInt64 = 0
    ) {
        routes[(route ?? -1) + 1].count(
            status: status, nanoseconds: nanoseconds, upstream: upstream, received: received, sent: sent)
    }

    /// A tunnel has ended, whose bytes count for its route.
    mutating func countBytes(route: Int?, received: UInt64, sent: UInt64) {
        routes[(route ?? -1) + 1].countBytes(received: received, sent: sent)
    }

    mutating func count(_ retry: Retry, route: Int?) { routes[(route ?? -1) + 1].count(retry) }

    mutating func countRefusedToken(credential: Int) { refusedTokens[credential] += 1 }

    /// Adds another worker's counters; one of the two may have made room for a new configuration already.
    mutating func add(_ other: Metrics) {
        extend(routeCount: other.routes.count - 1, credentialCount: other.refusedTokens.count)
        for index in other.routes.indices { routes[index].add(other.routes[index]) }
        for index in other.refusedTokens.indices { refusedTokens[index] += other.refusedTokens[index] }
        backendCertificates = BackendCertificate.newest(of: [backendCertificates, other.backendCertificates])
        tunnels.add(other.tunnels)
        acceptedConnections += other.acceptedConnections
        refusedConnections += other.refusedConnections
        acceptPauses += other.acceptPauses
        downstreamConnections += other.downstreamConnections
        upstreamConnections += other.upstreamConnections
        idleUpstreamConnections += other.idleUpstreamConnections
        openedUpstreamConnections += other.openedUpstreamConnections
        droppedLogLines += other.droppedLogLines
        spans = spans.map { $0 + (other.spans ?? SpanCounts()) }
    }
}

/// A histogram of durations with the default buckets of Prometheus' clients, the first of which ends at 1 ms.
///
/// Allocates nothing.
struct Histogram: Sendable, Equatable {
    /// The upper bounds in seconds, as the metrics page writes them.
    static let bounds = [
        "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1.0", "2.5", "5.0", "10.0",
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

    /// What was observed after `earlier`.
    func since(_ earlier: Histogram) -> Histogram {
        var histogram = self
        for index in slots.indices { histogram.slots[index] &-= earlier.slots[index] }
        histogram.sumNanoseconds &-= earlier.sumNanoseconds
        return histogram
    }

    static func == (left: Histogram, right: Histogram) -> Bool {
        left.sumNanoseconds == right.sumNanoseconds && left.counts == right.counts
    }
}
