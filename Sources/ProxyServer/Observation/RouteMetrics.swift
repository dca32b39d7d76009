/// One worker's counters for the requests of one route.
struct RouteMetrics: Sendable {
    /// How many requests ended with each status, in the order in which the statuses first occurred.
    ///
    /// A route returns few of them, so a linear search is faster than a dictionary.
    private(set) var statuses: [(status: Int, count: UInt64)] = []
    private(set) var durations = Histogram()
    /// The times from the last sending of a request to the head of the backend's response.
    private(set) var upstreamDurations = Histogram()
    /// The bytes of requests' bodies and of responses, and those of tunnels that have ended.
    private(set) var bytesReceived: UInt64 = 0
    private(set) var bytesSent: UInt64 = 0
    private(set) var retries = RetryCounts()

    /// The number of ended requests.
    var requestCount: UInt64 { statuses.reduce(0) { $0 + $1.count } }

    /// The number of requests that ended with a status of a class, as 5 for 5xx; with 0, of those that were cut before any
    /// response.
    func count(ofClass number: Int) -> UInt64 {
        statuses.reduce(0) { $1.status / 100 == number ? $0 + $1.count : $0 }
    }

    /// The number of requests that ended with 5xx or without a response.
    var errorCount: UInt64 { count(ofClass: 5) + count(ofClass: 0) }

    mutating func count(
        status: Int, nanoseconds: Int64, upstream: Int64? = nil, received: UInt64 = 0, sent: UInt64 = 0
    ) {
        count(status, 1)
        durations.observe(nanoseconds)
        if let upstream { upstreamDurations.observe(upstream) }
        countBytes(received: received, sent: sent)
    }

    mutating func countBytes(received: UInt64, sent: UInt64) {
        bytesReceived &+= received
        bytesSent &+= sent
    }

    mutating func count(_ retry: Retry) { retries.count(retry) }

    /// Adds another worker's counters.
    mutating func add(_ other: RouteMetrics) {
        for (status, count) in other.statuses { self.count(status, count) }
        durations.add(other.durations)
        upstreamDurations.add(other.upstreamDurations)
        countBytes(received: other.bytesReceived, sent: other.bytesSent)
        retries.add(other.retries)
    }

    private mutating func count(_ status: Int, _ addend: UInt64) {
        for index in statuses.indices where statuses[index].status == status {
            statuses[index].count += addend
            return
        }
        statuses.append((status, addend))
    }
}

/// The reason why a request is sent to its backend again.
enum Retry: String, CaseIterable {
    /// A reused connection broke before a response.
    case connectionLost = "connection_lost"
    /// The backend refused the token, and Attaché got another one.
    case tokenRefused = "token_refused"
    /// The backend requires a nonce in the proof of possession.
    case nonceAsked = "nonce_asked"
}

/// The number of repeated requests, by reason.
struct RetryCounts: Sendable {
    private var connectionLost: UInt64 = 0
    private var tokenRefused: UInt64 = 0
    private var nonceAsked: UInt64 = 0

    subscript(_ retry: Retry) -> UInt64 {
        switch retry {
        case .connectionLost: connectionLost
        case .tokenRefused: tokenRefused
        case .nonceAsked: nonceAsked
        }
    }

    mutating func count(_ retry: Retry) {
        switch retry {
        case .connectionLost: connectionLost += 1
        case .tokenRefused: tokenRefused += 1
        case .nonceAsked: nonceAsked += 1
        }
    }

    mutating func add(_ other: RetryCounts) {
        connectionLost += other.connectionLost
        tokenRefused += other.tokenRefused
        nonceAsked += other.nonceAsked
    }
}
