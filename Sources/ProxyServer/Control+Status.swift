import EventTransport
import TokenClient
import TokenManager

/// What the status page shows.
extension Control {
    /// Gathers the counters of all workers, whose histories go on for the next minutes.
    func gatherStatus(_ done: @escaping (StatusPage) -> Void) {
        onWorkers { worker, _ in
            (worker.metrics, worker.history.look())
        } done: { [unowned self] all in
            let traffic = all.dropFirst().reduce(into: all[0].1) { $0.add($1.1) }
            let credentials = credentials
            done(
                StatusPage(
                    moment: moment, readiness: readiness(credentials),
                    configuration: served.configuration, numbers: served.numbers, credentials: credentials,
                    metrics: sum(all.map(\.0)), traffic: traffic, findings: findingsPage(credentials).shown,
                    build: ProgramVersion.build,
                    process: ProcessUsage(),
                    reloads: reload?.counts))
        }
    }
}
