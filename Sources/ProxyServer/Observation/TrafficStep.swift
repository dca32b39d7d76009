/// What the requests of one route were like that ended in one step of ten seconds.
struct TrafficStep: Sendable, Equatable {
    /// The length of a step.
    static let length: Duration = .seconds(10)
    /// How many steps are kept, the running one among them.
    static let keptCount: Int64 = 60

    /// The step's number since the start of the machine's monotonic clock, so that all workers count alike.
    let number: Int64
    private(set) var traffic: Traffic

    init(number: Int64, _ traffic: Traffic) {
        self.number = number
        self.traffic = traffic
    }

    mutating func add(_ other: Traffic) { traffic.add(other) }
}

/// The requests of one route in some time: how many, how many failed, and how long they took.
struct Traffic: Sendable, Equatable {
    /// Responses with a status from 400 to 499.
    private(set) var clientErrors: UInt64 = 0
    /// Responses with a status from 500 on, and requests that were cut before any response.
    private(set) var failures: UInt64 = 0
    private(set) var durations = Histogram()

    init() {}

    /// What a route's counters have counted since the start.
    init(_ metrics: RouteMetrics) {
        for (status, count) in metrics.statuses {
            if 400..<500 ~= status { clientErrors += count }
            if status >= 500 || status == 0 { failures += count }
        }
        durations = metrics.durations
    }

    var requests: UInt64 { durations.count }

    mutating func add(_ other: Traffic) {
        clientErrors += other.clientErrors
        failures += other.failures
        durations.add(other.durations)
    }

    /// What was counted after `earlier`.
    func since(_ earlier: Traffic) -> Traffic {
        var traffic = self
        traffic.clientErrors -= earlier.clientErrors
        traffic.failures -= earlier.failures
        traffic.durations = durations.since(earlier.durations)
        return traffic
    }
}
