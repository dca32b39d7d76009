import ProxyCore

/// What one worker counts; read by the admin listener, written without locks on the worker's loop.
struct Metrics: Sendable {
    /// Requests by route (the last row is for those without one) and status code.
    private(set) var requests: [[Int: UInt64]]
    private(set) var durations: Histogram
    var acceptedConnections: UInt64 = 0
    var refusedConnections: UInt64 = 0
    /// How often connections were left waiting because descriptors were short.
    var acceptPauses: UInt64 = 0
    var downstreamConnections = 0
    var upstreamConnections = 0
    var droppedLogLines: UInt64 = 0
    /// Of the whole process; nil where it cannot be told.
    var openDescriptors: Int?
    var descriptorLimit: Int?

    init(routeCount: Int) {
        requests = Array(repeating: [:], count: routeCount + 1)
        durations = Histogram()
    }

    mutating func count(route: Int?, status: Int, nanoseconds: Int64) {
        requests[route ?? requests.count - 1][status, default: 0] += 1
        durations.observe(nanoseconds)
    }

    /// Adds what another worker counted.
    mutating func add(_ other: Metrics) {
        for (row, codes) in other.requests.enumerated() { requests[row].merge(codes, uniquingKeysWith: +) }
        durations.add(other.durations)
        acceptedConnections += other.acceptedConnections
        refusedConnections += other.refusedConnections
        acceptPauses += other.acceptPauses
        downstreamConnections += other.downstreamConnections
        upstreamConnections += other.upstreamConnections
        droppedLogLines += other.droppedLogLines
    }
}

/// Times of exchanges in the buckets that Prometheus' clients use by default, from 1 ms on.
struct Histogram: Sendable {
    /// The upper bounds, in seconds, as they are written.
    static let bounds = [
        "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10",
    ]
    private static let limits: InlineArray<13, Int64> = [
        1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000, 500_000_000,
        1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
    ]

    /// Per bucket, not cumulative; the last is for all above.
    private(set) var counts = [UInt64](repeating: 0, count: 14)
    private(set) var sumNanoseconds: UInt64 = 0

    /// - Parameter value: in nanoseconds.
    mutating func observe(_ value: Int64) {
        sumNanoseconds &+= UInt64(max(0, value))
        var index = 0
        while index < 13, value > Self.limits[index] { index += 1 }
        counts[index] += 1
    }

    mutating func add(_ other: Histogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        sumNanoseconds &+= other.sumNanoseconds
    }
}
