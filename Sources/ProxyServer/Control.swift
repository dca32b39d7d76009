import EventTransport
import Glibc
import Logging
import ProxyConfiguration
import ProxyCore
import TokenManager

/// What exists once beside the workers: admin pages, signals and the order in which the process ends.
///
/// Confined to the first worker's loop.
final class Control {
    let worker: Worker
    private let context: Worker.Context
    private let publisher: CredentialPublisher
    private let loop: EventLoop
    private var others: [Other] = []
    /// The threads of the other workers, to be joined when the loops have stopped.
    private(set) var threads: [LoopThread] = []
    private var admin: EmbeddedServer?
    /// Kept to the end: a signal must not end the process while a new refresh token is on its way.
    private var signals: [SignalSource] = []
    private var shutdown = ShutdownStateMachine.serving
    private lazy var timer = Timer(loop: loop) { [unowned self] in timerFired() }

    private struct Other {
        var worker: LoopBound<Worker>
        var loop: EventLoop
    }

    init(worker: Worker, context: Worker.Context, publisher: CredentialPublisher) {
        self.worker = worker
        self.context = context
        self.publisher = publisher
        loop = worker.loop
    }

    // MARK: - Other workers

    /// Takes a started thread, whose loop has to be stopped at the end.
    func started(_ thread: LoopThread) { threads.append(thread) }

    /// A worker on another loop takes connections from now on.
    func joined(_ worker: LoopBound<Worker>, _ loop: EventLoop) {
        let other = Other(worker: worker, loop: loop)
        others.append(other)
        switch shutdown.workerJoined() {
        case .drain: drainOther(other)
        case .none: break
        }
    }

    // MARK: - Admin

    func openAdmin(_ socket: BoundSocket) {
        admin = EmbeddedServer(loop: loop, socket: socket) { [unowned self] request, answer in page(request, answer) }
    }

    private func page(_ request: EmbeddedServer.Request, _ answer: @escaping EmbeddedServer.Answer) {
        AdminPages(
            isDraining: !shutdown.isServing, credentials: { [self] in credentials },
            metrics: { [unowned self] done in
                gatherMetrics { [unowned self] gathered in
                    var metrics = gathered
                    metrics.droppedLogLines += context.logWriter?.lostLineCount ?? 0
                    done(
                        MetricsPage(
                            metrics: metrics, routes: context.routes.routes, credentials: credentials, now: .now,
                            fetchDurations: publisher.fetchDurations,
                            routeCertificates: worker.router.certificateExpiries,
                            names: context.names.snapshot, build: ProgramVersion.build, process: ProcessUsage()))
                }
            }
        ).answer(request, answer)
    }

    /// The token manager lives on this loop, so its state is read without a hop.
    private var credentials: [CredentialStatus] { context.tokens.assumeIsolated { $0.status() } }

    private func gatherMetrics(_ done: @escaping (Metrics) -> Void) {
        let gathering = Gathering(worker.metrics, awaiting: others.count, done)
        if others.isEmpty { return gathering.finish() }
        let bound = LoopBound(gathering, loop: loop)
        let loop = loop
        for other in others {
            other.loop.execute {
                let metrics = other.worker.value.metrics
                loop.execute { bound.value.add(metrics) }
            }
        }
    }

    // MARK: - The end

    func handleSignals() throws(TransportError) {
        for signal in [SIGTERM, SIGINT] {
            signals.append(
                try SignalSource(signal, loop: loop) { [unowned self] in
                    context.logger.notice("draining", metadata: ["signal": signal == SIGTERM ? "SIGTERM" : "SIGINT"])
                    drain()
                })
        }
        for (signal, name) in [(SIGUSR1, "SIGUSR1"), (SIGHUP, "SIGHUP")] {
            signals.append(try SignalSource(signal, loop: loop) { [unowned self] in reopenLog(name) })
        }
    }

    /// Opens the access log again, which may have been renamed; does not read the configuration again.
    private func reopenLog(_ signal: String) {
        let logger = context.logger
        guard let writer = context.logWriter, let path = writer.path else {
            return logger.notice("nothing to reopen: the access log is not a file", metadata: ["signal": "\(signal)"])
        }
        writer.reopen { error in
            if let error {
                logger.error(
                    "access log not reopened, the old file is kept",
                    metadata: ["signal": "\(signal)", "reason": "\(error.message)"])
            } else {
                logger.notice("access log reopened", metadata: ["signal": "\(signal)", "path": "\(path)"])
            }
        }
    }

    func drain() {
        ServiceNotifier.ofThisProcess?.tell("STOPPING=1", "STATUS=Draining: running requests finish")
        let delay = context.configuration.shutdown.drainDelay
        switch shutdown.drainRequested(hasDelay: delay > .zero, workers: workerCount) {
        case .delay: timer.schedule(after: delay)
        case .drain: drainAll()
        case .abort: abort("a second signal arrived")
        case .none: break
        }
    }

    private func timerFired() {
        switch shutdown.timeReached(workers: workerCount) {
        case .drain: drainAll()
        case .abort:
            abort(
                "shutdown.gracePeriod, \(context.configuration.shutdown.gracePeriod), is over; raise it if requests take longer"
            )
        case .stop(let cut): stop(cut: cut)
        case .none: break
        }
    }

    private var workerCount: Int { 1 + others.count }

    private func drainAll() {
        timer.schedule(after: context.configuration.shutdown.gracePeriod)
        for other in others { drainOther(other) }
        worker.drain { [unowned self] in workerDrained() }
    }

    private func drainOther(_ other: Other) {
        let (bound, loop) = (LoopBound(self, loop: loop), loop)
        other.loop.execute {
            other.worker.value.drain { loop.execute { bound.value.workerDrained() } }
        }
    }

    private func workerDrained() {
        switch shutdown.workerDrained() {
        case .stop(let cut): stop(cut: cut)
        case .none: break
        }
    }

    /// Aborts what has not finished, and after another second stops without what is left.
    private func abort(_ reason: String) {
        timer.schedule(after: .seconds(1))
        let error = ProxyError(.shutdown, "attache stopped while the request was being served: \(reason)")
        let (bound, loop) = (LoopBound(self, loop: loop), loop)
        for other in others {
            other.loop.execute {
                let count = other.worker.value.servedRequestCount
                // Sent first: in the next call, the worker reports that it has drained.
                loop.execute { bound.value.shutdown.requestsCut(count) }
                other.worker.value.abort(error)
            }
        }
        shutdown.requestsCut(worker.servedRequestCount)
        worker.abort(error)
    }

    /// - Parameter cut: The number of cut requests; nil if all had time to finish.
    private func stop(cut: Int?) {
        if let cut {
            context.logger.log(
                level: cut > 0 ? .warning : .notice, "requests cut", metadata: ["count": .stringConvertible(cut)])
        }
        timer.cancel()
        admin?.close()
        worker.retire()
        for other in others { other.loop.execute { other.worker.value.retire() } }
        let (tokens, loop, loops) = (context.tokens, loop, threads.map(\.loop))
        Task(executorPreference: loop) {
            await tokens.stop()
            for other in loops { other.stop() }
            loop.stop()
        }
    }
}

/// Metrics that all workers send for one page.
private final class Gathering {
    private var metrics: Metrics
    private var awaited: Int
    private let done: (Metrics) -> Void

    init(_ metrics: Metrics, awaiting count: Int, _ done: @escaping (Metrics) -> Void) {
        self.metrics = metrics
        awaited = count
        self.done = done
    }

    func add(_ other: Metrics) {
        metrics.add(other)
        awaited -= 1
        if awaited == 0 { finish() }
    }

    func finish() { done(metrics) }
}
