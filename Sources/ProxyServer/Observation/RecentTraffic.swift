import EventTransport

/// The requests of the last ten minutes, of one worker or of all.
struct RecentTraffic: Sendable {
    /// When counting began; what was before is unknown.
    private(set) var beginsAt: MonotonicInstant
    let now: MonotonicInstant
    /// The number of the running step.
    let current: Int64
    /// The steps with requests by the route's number, nil for requests without a route; ascending.
    private(set) var steps: [Int?: [TrafficStep]]

    /// Nothing is known.
    static let none = RecentTraffic(
        beginsAt: MonotonicInstant(nanoseconds: 0), now: MonotonicInstant(nanoseconds: 0), current: 0, steps: [:])

    init(beginsAt: MonotonicInstant, now: MonotonicInstant, current: Int64, steps: [Int?: [TrafficStep]]) {
        self.beginsAt = beginsAt
        self.now = now
        self.current = current
        self.steps = steps
    }

    /// Adds another worker's requests.
    mutating func add(_ other: RecentTraffic) {
        beginsAt = max(beginsAt, other.beginsAt)
        for (route, added) in other.steps {
            var all = Dictionary(uniqueKeysWithValues: (steps[route] ?? []).map { ($0.number, $0) })
            for step in added {
                if all[step.number] == nil { all[step.number] = step } else { all[step.number]?.add(step.traffic) }
            }
            steps[route] = all.values.sorted { $0.number < $1.number }
        }
    }

    /// The last sixty steps of a route, the running one last; empty if it has had no request in them.
    func chart(of route: Int?) -> [Traffic] {
        guard let steps = steps[route] else { return [] }
        var chart = [Traffic](repeating: Traffic(), count: Int(TrafficStep.keptCount))
        let first = current - TrafficStep.keptCount + 1
        for step in steps where step.number >= first && step.number <= current {
            chart[Int(step.number - first)].add(step.traffic)
        }
        return chart.contains { $0.requests > 0 } ? chart : []
    }

    /// The requests of the last minute: six whole steps and the running one.
    func lastMinute(of route: Int?) -> Traffic {
        (steps[route] ?? []).reduce(into: Traffic()) { if $1.number >= current - 6 { $0.add($1.traffic) } }
    }

    /// The length of this minute in seconds; less if counting began in it.
    var lastMinuteSeconds: Double {
        let begin = MonotonicInstant(nanoseconds: (current - 6) * TrafficStep.length.nanoseconds)
        return Double(now.nanoseconds(since: max(begin, beginsAt))) / 1_000_000_000
    }

    /// How long the requests have been counted; at most the ten minutes that are kept.
    var counted: Duration {
        min(TrafficStep.length * Int(TrafficStep.keptCount), .nanoseconds(now.nanoseconds(since: beginsAt)))
    }
}
