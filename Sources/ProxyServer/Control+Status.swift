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
            var (metrics, traffic) = all[0]
            for (others, recent) in all.dropFirst() {
                metrics.add(others)
                traffic.add(recent)
            }
            metrics.droppedLogLines += context.logWriter?.lostLineCount ?? 0
            let (clock, credentials) = (LoopClock(loop: loop), credentials)
            done(
                StatusPage(
                    moment: .init(isDraining: !isServing, now: clock.now, unixTime: clock.unixTime),
                    configuration: served.configuration, numbers: served.numbers, credentials: credentials,
                    metrics: metrics, traffic: traffic, findings: findingsPage(credentials).shown,
                    build: ProgramVersion.build,
                    process: ProcessUsage(),
                    reloads: reload?.counts))
        }
    }
}
