import EventTransport
import Glibc
import Logging
import ProxyConfiguration
import ProxyCore
import TokenManager

/// What exists once besides the workers: admin pages, signals and the order in which the process ends.
///
/// Confined to the first worker's loop.
final class Control {
    let worker: Worker
    private(set) var context: Worker.Context
    /// The configuration in force.
    private(set) var served: ServedConfiguration
    let publisher: CredentialPublisher
    private(set) var reload: ConfigurationReload?
    var watchdog: Watchdog?
    /// The workers whose threads have begun and that have neither joined nor failed.
    private var awaitedWorkers = 0
    let loop: EventLoop
    private(set) var others: [Other] = []
    /// The threads of the other workers, to be joined when the loops have stopped.
    private(set) var threads: [LoopThread] = []
    private(set) var admin: EmbeddedServer?
    /// Kept to the end: a signal must not end the process while a new refresh token is on its way.
    private var signals: [SignalSource] = []
    private(set) var findings: FindingsWatch?
    private(set) var fileWarnings: FileWarnings?
    /// Why the access log could not be opened again; nil if the last attempt succeeded.
    private(set) var logProblem: String?
    /// The certificates of backends that any worker has seen, as of the last time that all were asked.
    var backendCertificates: [Int: BackendCertificate] = [:]
    var shutdown = ShutdownStateMachine.serving
    /// Set while the end waits for clients to leave.
    var silence: ClientSilence?
    /// For the next step of the end.
    lazy var timer = Timer(loop: loop) { [unowned self] in timerFired() }
    private(set) lazy var passwords = PasswordWatch(loop: loop, logger: context.logger) { [unowned self] path, users in
        onWorkers { worker, _ in
            worker.replaceUsers(of: path, by: users)
        } done: { _ in
        }
    }

    struct Other {
        var worker: LoopBound<Worker>
        var loop: EventLoop
    }

    init(
        worker: Worker, context: Worker.Context, serving served: ServedConfiguration, _ files: ServedFiles,
        publisher: CredentialPublisher
    ) {
        self.worker = worker
        self.context = context
        self.served = served
        self.publisher = publisher
        loop = worker.loop
        findings = FindingsWatch(loop: loop, logger: context.logger) { [unowned self] in
            credentials
        } gather: { [unowned self] in
            gatherFindings(at: $0, $1)
        }
        fileWarnings = FileWarnings(loop: loop) { [unowned self] in findings?.changed() }
        passwords.watch(served.configuration.listeners, files)
    }

    // MARK: - Other workers

    /// Takes a started thread, whose loop has to be stopped at the end.
    func started(_ thread: LoopThread) {
        threads.append(thread)
        awaitedWorkers += 1
    }

    /// A worker could not be made.
    func workerFailed() {
        awaitedWorkers -= 1
        reload?.workersChanged()
    }

    /// A worker on another loop takes connections from now on.
    func joined(_ worker: LoopBound<Worker>, _ loop: EventLoop) {
        let other = Other(worker: worker, loop: loop)
        others.append(other)
        logLevelChanged(on: other)
        usersMayHaveChanged(on: other)
        switch shutdown.workerJoined() {
        case .announce: announceEnd()
        case .drain: drainOther(other)
        case .none: break
        }
        awaitedWorkers -= 1
        reload?.workersChanged()
    }

    /// Calls `work` on the loop of each worker, and `done` on this one with the results, that of the first worker first.
    func onWorkers<Value: Sendable>(
        _ work: @escaping @Sendable (Worker, _ isFirst: Bool) -> Value, done: @escaping ([Value]) -> Void
    ) {
        let gathering = Gathering(work(worker, true), awaiting: others.count, done)
        if others.isEmpty { return gathering.finish() }
        let bound = LoopBound(gathering, loop: loop)
        let loop = loop
        for other in others {
            other.loop.execute {
                let value = work(other.worker.value, false)
                loop.execute { bound.value.add(value) }
            }
        }
    }

    // MARK: - Reload

    var tokens: TokenManager { context.tokens }

    /// Whether no drain has begun.
    var isServing: Bool { shutdown.isServing }

    /// Whether listeners accept requests.
    var isAccepting: Bool { shutdown.isAccepting }

    /// Whether all workers have joined that will.
    var areWorkersComplete: Bool { awaitedWorkers == 0 }

    /// Takes what loads the configuration again.
    func take(_ reload: ConfigurationReload) { self.reload = reload }

    /// Begins to look for changes of the configuration's file, if the configuration says so.
    func startReload() { reload?.watchFile() }

    /// Begins to notify the service manager, if it watches this process.
    func startWatchdog() {
        guard let notifier = ServiceNotifier.ofThisProcess, let limit = ServiceNotifier.watchdogLimit else { return }
        // sd_watchdog_enabled(3) asks for half of the limit.
        let watchdog = Watchdog(every: limit / 2, loop: loop) { [unowned self] done in
            onWorkers({ _, _ in }, done: { _ in done() })
        } notify: {
            notifier.tell("WATCHDOG=1")
        }
        self.watchdog = watchdog
        watchdog.start()
    }

    /// A load of the configuration has ended.
    func reloadEnded() { findings?.changed() }

    /// Further connections and all pages follow another configuration from now on; the workers swap their rules next.
    func use(_ served: ServedConfiguration, _ files: ServedFiles) {
        self.served = served
        fileWarnings?.use(served.configuration.fileChecks)
        passwords.watch(served.configuration.listeners, files)
        context.connectionCount.setLimit(served.configuration.limits.connections)
        setLogLevel(served.configuration.logLevel)
    }

    /// Listeners have closed.
    func closed(_ addresses: [ListenerAddress]) {
        for address in addresses.compactMap(\.tcpAddress) { context.own.remove(address) }
    }

    // MARK: - Log level

    /// The least severe level that the log shows.
    var logLevel: LogLevel { context.threshold.level }

    /// Changes what the log shows, on all workers, until a reload or a restart changes it again.
    func setLogLevel(_ level: LogLevel) {
        guard level != logLevel else { return }
        context.threshold.level = level
        context.decisions = DecisionLog(context.logger)
        worker.logLevelChanged(context.decisions)
        for other in others { logLevelChanged(on: other) }
    }

    private func logLevelChanged(on other: Other) {
        let decisions = context.decisions
        other.loop.execute { other.worker.value.logLevelChanged(decisions) }
    }

    /// A worker that joins has read the password files by itself, perhaps before their last change.
    private func usersMayHaveChanged(on other: Other) {
        let newest = passwords.newest
        other.loop.execute {
            for (path, users) in newest { other.worker.value.replaceUsers(of: path, by: users) }
        }
    }

    // MARK: - Admin

    /// Serves the pages of operators to requests that address the listener by one of the names `hosts`.
    func openAdmin(_ socket: BoundSocket, hosts: [String]) {
        // An app that the listener would refuse must not reach it through the proxy.
        if let address = socket.address.tcpAddress { context.own.add(address) }
        let pages = AdminPages(adminPages, isLocal: socket.address.tcpAddress?.ip.isLoopback ?? true)
        let known = GatewayHosts(hosts, takesLocalPages: false)
        admin = EmbeddedServer(loop: loop, socket: socket, hosts: known) { request, answer in
            pages.answer(request, answer)
        }
    }

    // MARK: - Signals

    func handleSignals() throws(TransportError) {
        for signal in [SIGTERM, SIGINT] {
            signals.append(
                try SignalSource(signal, loop: loop) { [unowned self] in
                    drain(for: .signal, signal == SIGTERM ? "SIGTERM" : "SIGINT")
                })
        }
        signals.append(try SignalSource(SIGUSR1, loop: loop) { [unowned self] in reopenLog("SIGUSR1") })
        signals.append(
            try SignalSource(SIGHUP, loop: loop) { [unowned self] in
                reopenLog("SIGHUP")
                reload?.begin(.signal)
            })
    }

    /// Opens the access log again, which may have been renamed.
    private func reopenLog(_ signal: String) {
        let logger = context.logger
        guard let writer = context.logWriter, let path = writer.path else {
            return logger.notice("nothing to reopen: the access log is not a file", metadata: ["signal": "\(signal)"])
        }
        let (bound, loop) = (LoopBound(self, loop: loop), loop)
        writer.reopen { error in
            let problem = error?.message
            loop.execute { bound.value.logReopened(problem) }
            if let error {
                logger.error(
                    "access log not reopened, the old file is kept",
                    metadata: ["signal": "\(signal)", "reason": "\(error.message)"])
            } else {
                logger.notice("access log reopened", metadata: ["signal": "\(signal)", "path": "\(path)"])
            }
        }
    }

    /// - Parameter problem: Why the old file is kept; nil if the file was opened again.
    private func logReopened(_ problem: String?) {
        guard problem != logProblem else { return }
        logProblem = problem
        findings?.changed()
    }
}

/// What all workers send for one purpose.
private final class Gathering<Value> {
    private var values: [Value]
    private var awaited: Int
    private let done: ([Value]) -> Void

    init(_ first: Value, awaiting count: Int, _ done: @escaping ([Value]) -> Void) {
        values = [first]
        awaited = count
        self.done = done
    }

    func add(_ value: Value) {
        values.append(value)
        awaited -= 1
        if awaited == 0 { finish() }
    }

    func finish() { done(values) }
}
