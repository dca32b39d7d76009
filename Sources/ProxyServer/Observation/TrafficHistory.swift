import EventTransport

/// The requests of one worker in the last ten minutes, by route and in steps of ten seconds.
///
/// Confined to the worker's loop. It costs a request nothing: it reads the counters that requests increase anyway. A timer
/// does so at the end of a step, only if the access log has handed over lines in this step, or if somebody has looked in
/// the last ten minutes. So an idle worker is never woken, and the charts are there at the first look. Without an access
/// log they begin with the first look.
final class TrafficHistory {
    /// The routes of one worker whose steps are kept; the first ones that get requests.
    static let routeLimit = 100
    /// How long steps are counted after a look.
    private static let lookDuration: Duration = .seconds(600)

    /// What is known of one route.
    private struct Row {
        /// What was counted up to the end of the last step.
        var counted: Traffic
        /// The last step with a request, or the one in which the row was made.
        var lastStep: Int64
        var steps: [TrafficStep] = []
    }

    private let loop: EventLoop
    private let metrics: () -> Metrics
    /// Whether the access log reports each request.
    private let isAlwaysCounting: Bool
    private var rows: [Int?: Row] = [:]
    /// How many requests each route had at the end of the last step, also without a row; absent for none.
    private var totals: [Int?: UInt64] = [:]
    private var beginsAt: MonotonicInstant
    private var lookedUntil = MonotonicInstant(nanoseconds: 0)
    /// The step at whose end the timer fires; nil if it is not set.
    private var openStep: Int64?
    private lazy var timer = Timer(loop: loop) { [unowned self] in stepEnded() }

    /// - Parameters:
    ///   - loop: The worker's loop.
    ///   - isAlwaysCounting: Whether `requestsEnded` is called soon after each request.
    ///   - metrics: The worker's counters, all zero now.
    init(loop: EventLoop, isAlwaysCounting: Bool, metrics: @escaping () -> Metrics) {
        self.loop = loop
        self.metrics = metrics
        self.isAlwaysCounting = isAlwaysCounting
        beginsAt = loop.now
    }

    /// Requests have ended a moment ago.
    func requestsEnded() {
        if openStep == nil { openCurrentStep() }
    }

    /// The steps so far, with the running one; counting goes on for ten minutes.
    func look() -> RecentTraffic {
        if openStep == nil, !isAlwaysCounting { begin() }
        lookedUntil = loop.now.advanced(by: Self.lookDuration)
        if openStep == nil { openCurrentStep() }
        let current = Self.step(at: loop.now)
        var steps: [Int?: [TrafficStep]] = [:]
        let metrics = metrics()
        for number in metrics.routeNumbers {
            // A route that got its first request in the running step has no row yet.
            guard let row = rows[number] ?? newRow(number, current) else { continue }
            var kept = row.steps
            let traffic = Traffic(metrics[number]).since(row.counted)
            if traffic.requests > 0 { kept.append(TrafficStep(number: current, traffic)) }
            kept.removeAll { $0.number <= current - TrafficStep.keptCount }
            if !kept.isEmpty { steps[number] = kept }
        }
        return RecentTraffic(beginsAt: beginsAt, now: loop.now, current: current, steps: steps)
    }

    /// Whether the worker will be woken at the end of a step.
    var isTimerSet: Bool { openStep != nil }

    func stop() { timer.cancel() }

    /// The number of the step at an instant.
    static func step(at instant: MonotonicInstant) -> Int64 { instant.nanoseconds / TrafficStep.length.nanoseconds }

    /// Begins anew: nobody has counted for a while.
    private func begin() {
        (rows, totals, beginsAt) = ([:], [:], loop.now)
        let metrics = metrics()
        for number in metrics.routeNumbers {
            let counted = Traffic(metrics[number])
            guard counted.requests > 0 else { continue }
            totals[number] = counted.requests
            if rows.count < Self.routeLimit {
                rows[number] = Row(counted: counted, lastStep: Self.step(at: loop.now))
            }
        }
    }

    private func openCurrentStep() {
        let step = Self.step(at: loop.now)
        openStep = step
        timer.schedule(at: MonotonicInstant(nanoseconds: (step + 1) * TrafficStep.length.nanoseconds))
    }

    private func stepEnded() {
        guard let step = openStep else { return }
        openStep = nil
        let metrics = metrics()
        for number in metrics.routeNumbers where !metrics[number].statuses.isEmpty {
            let counted = Traffic(metrics[number])
            guard counted.requests != totals[number] else { continue }
            if rows[number] == nil { makeRoom(step) }
            let row = rows[number] ?? newRow(number, step)
            totals[number] = counted.requests
            if var row {
                row.steps.append(TrafficStep(number: step, counted.since(row.counted)))
                row.steps.removeAll { $0.number <= step - TrafficStep.keptCount }
                (row.counted, row.lastStep) = (counted, step)
                rows[number] = row
            } else if rows.count < Self.routeLimit {
                rows[number] = Row(counted: counted, lastStep: step)
            }
        }
        if loop.now < lookedUntil { openCurrentStep() }
    }

    /// The row of a route with its first requests, if there is room.
    ///
    /// Of a route that had no room, only the number of requests is known, so its row begins with the next step.
    private func newRow(_ number: Int?, _ step: Int64) -> Row? {
        guard rows.count < Self.routeLimit, totals[number] == nil else { return nil }
        return Row(counted: Traffic(), lastStep: step)
    }

    /// Drops the rows without a step that is still kept, if there is no room for another one.
    private func makeRoom(_ step: Int64) {
        guard rows.count >= Self.routeLimit else { return }
        rows = rows.filter { $1.lastStep > step - TrafficStep.keptCount }
    }
}
