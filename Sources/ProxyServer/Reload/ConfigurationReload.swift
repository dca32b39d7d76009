import EventTransport
import Logging
import ProxyConfiguration
import ProxyCore
import Signing
import TokenClient
import TokenManager

/// Loads the configuration again and puts it in force on all workers, or changes nothing.
///
/// Owned by the control; confined to the first worker's loop. A further request during a load begins another one after
/// it. The order: a thread of its own reads and checks the file and the files that it names, new listeners are opened, every
/// worker prepares its rules, and the token manager makes sure that no refresh token is lost with a credential that goes.
/// Nothing can fail after that. Every worker swaps its rules, and then the token manager its credentials: requests with a
/// new credential wait until it is there. `ReloadStateMachine` decides when each step begins.
final class ConfigurationReload {
    /// What asks for a load.
    enum Trigger: String {
        case signal = "SIGHUP"
        case request = "POST /reload"
        case file = "the file changed"
    }

    typealias Answer = (ReloadResult) -> Void

    private struct Request {
        let trigger: Trigger
        let answer: Answer?
    }

    /// A load that takes longer to read is reported.
    private static let readingLimit: Duration = .seconds(10)

    private unowned let control: Control
    private let source: ConfigurationSource?
    private let loop: EventLoop
    private let logger: Logger
    private let tokenServers: TokenServers
    private var sockets: OpenSockets
    private var machine = ReloadStateMachine.idle
    /// What asks for the next load, and for the one that runs.
    private var waiting: [Request] = []
    private var running: [Request] = []
    private(set) var counts: ReloadCounts
    /// The problems of the last load; nil if the last load is in force.
    private var lastProblems: String?
    /// Why the last load changed nothing, in one line; nil if it succeeded.
    var problem: String? { lastProblems.map { DetailText.list(ofLines: $0) } }
    /// The settings of the last load that wait for a restart.
    private(set) var needsRestart: [String] = []
    private var watch: ConfigurationFileWatch?
    private lazy var looks = RepeatedLook(loop) { [unowned self] in look($0) }
    private lazy var slow = Timer(loop: loop) { [unowned self] in reportSlowLoad() }

    init(
        _ control: Control, from source: ConfigurationSource?, _ sockets: OpenSockets, _ tokenServers: TokenServers,
        loop: EventLoop, logger: Logger
    ) {
        self.control = control
        self.source = source
        self.sockets = sockets
        self.tokenServers = tokenServers
        self.loop = loop
        self.logger = logger
        counts = ReloadCounts(startedAt: LoopClock(loop: loop).unixTime)
        watch = source.map { ConfigurationFileWatch(loaded: $0.version) }
    }

    // MARK: - What asks for a load

    /// Watches the file if `reloadOnChange` of the configuration in force is true, and stops otherwise.
    func watchFile() { looks.isOn = source != nil && control.served.configuration.reloadsOnChange }

    func stop() {
        looks.isOn = false
        slow.cancel()
    }

    private func look(_ ended: @escaping (FileNotices?) -> Void) {
        guard let file = source?.file else { return ended(nil) }
        let done: (FoundVersion) -> Void = { [weak self] in ended(self?.looked($0)) }
        let current = watch?.current
        FileThreads.shared.submit({ FoundVersion(of: file, awaiting: current) }, for: loop, done)
    }

    /// - Returns: The notices if nothing has to be done until the file changes.
    private func looked(_ found: FoundVersion) -> FileNotices? {
        guard looks.isOn, let action = watch?.looked(found.version) else { return nil }
        switch action {
        case .load:
            if machine.fileChanged(areWorkersComplete: control.areWorkersComplete) == .load {
                waiting.append(Request(trigger: .file, answer: nil))
                load()
            }
            return nil
        case .lookAgain: return nil
        case .awaitChange: return found.notices
        }
    }

    /// Asks for a load; `answer` gets its result.
    func begin(_ trigger: Trigger, _ answer: Answer? = nil) {
        guard source != nil else {
            let why =
                "nothing to reload: attache runs without a configuration file"
            if answer == nil { logger.notice("nothing to reload: there is no configuration file") }
            answer?(.unavailable(why))
            return
        }
        // One load serves several signals.
        guard answer != nil || !waiting.contains(where: { $0.trigger == trigger }) else { return }
        waiting.append(Request(trigger: trigger, answer: answer))
        perform(machine.wanted(areWorkersComplete: control.areWorkersComplete))
    }

    /// A worker has joined, or will not.
    func workersChanged() { perform(machine.proceeded(areWorkersComplete: control.areWorkersComplete)) }

    /// The process begins to stop.
    func drainBegan() { perform(machine.drainBegan()) }

    private func perform(_ action: ReloadStateMachine.BeginAction) {
        switch action {
        case .load: load()
        case .refuse: refuseWaiting()
        case .none: break
        }
    }

    private func refuseWaiting() {
        let refused = waiting
        waiting = []
        for request in refused { request.answer?(Self.stopping) }
    }

    private static let stopping = ReloadResult.unavailable("attache is stopping and does not reload")

    // MARK: - One load

    /// What a load found; the version of the file is from before it.
    private struct Loaded: Sendable {
        let version: FileVersion
        let result: Result<Configuration, ConfigurationError>
        /// What the files hold that the configuration names.
        let files: ServedFiles

        init(_ source: ConfigurationSource) {
            version = FileVersion(of: source.file)
            result = source.load().map(\.withUsedCredentials)
            files = (try? result.get()).map { ServedFiles(of: $0) } ?? ServedFiles()
        }
    }

    private func load() {
        guard let source else { preconditionFailure("a reload began without a file") }
        (running, waiting) = (waiting, [])
        slow.schedule(after: Self.readingLimit)
        let done: (Loaded) -> Void = { [weak self] in self?.loaded($0) }
        FileThreads.shared.submit({ Loaded(source) }, for: loop, done)
    }

    private func reportSlowLoad() {
        logger.warning(
            "still loading the configuration",
            metadata: [
                "file": "\(source?.file ?? "")",
                "advice": "check the file systems of this file and of the files that it names",
            ])
    }

    private func loaded(_ loaded: Loaded) {
        slow.cancel()
        watch?.loaded(loaded.version)
        let configuration: Configuration?
        let problem: String?
        do throws(ConfigurationError) {
            (configuration, problem) = (try loaded.result.get(), nil)
        } catch {
            (configuration, problem) = (nil, error.description)
        }
        perform(machine.fileRead(isUsable: problem == nil), problem) {
            if let configuration { prepare(configuration, loaded.files) }
        }
    }

    /// A configuration that can be put in force.
    private struct Candidate {
        let served: ServedConfiguration
        let files: ServedFiles
        let changes: ConfigurationChanges
        let plan: OpenSockets.Plan
        let tokenClient: TokenServers.Client
    }

    /// Opens what the configuration needs.
    private func candidate(_ configuration: Configuration, _ files: ServedFiles) throws(StartError) -> Candidate {
        let changes = ConfigurationChanges(from: control.served.configuration, to: configuration)
        let client: TokenServers.Client
        do throws(TransportError) {
            client = try tokenServers.client(for: changes.applicable, files)
        } catch {
            throw StartError(error)
        }
        let budget = DescriptorBudget(limit: DescriptorLimit.current)
        // What is open now includes the clients, and a start with this configuration would have none.
        if let shortage = budget.shortage(for: changes.applicable, openCount: DescriptorBudget.openAtStart) {
            throw StartError(shortage)
        }
        let isShared = changes.applicable.workers.count > 1
        return Candidate(
            served: ServedConfiguration(changes.applicable, after: control.served), files: files, changes: changes,
            plan: try sockets.plan(for: changes.applicable.listeners, reusePort: isShared), tokenClient: client)
    }

    private func prepare(_ configuration: Configuration, _ files: ServedFiles) {
        let candidate: Candidate
        do throws(StartError) {
            candidate = try self.candidate(configuration, files)
        } catch {
            return perform(machine.workersPrepared(isUsable: false), error.description)
        }
        let (served, opened) = (candidate.served, candidate.plan.opened)
        control.onWorkers { worker, isFirst in
            Self.prepare(worker, served, files, opened, isFirst: isFirst)
        } done: { [unowned self] problems in
            let problem = problems.compactMap(\.self).first
            perform(machine.workersPrepared(isUsable: problem == nil), problem, undoing: candidate) {
                prepareCredentials(candidate)
            }
        }
    }

    /// Begins the next step, or undoes those before and reports why.
    private func perform(
        _ action: ReloadStateMachine.StepAction, _ problem: String?, undoing candidate: Candidate? = nil,
        next: () -> Void = {}
    ) {
        switch action {
        case .next: next()
        case .fail:
            if let candidate { discard(candidate) }
            end(.refused(problem ?? ""))
        case .stop:
            if let candidate { discard(candidate) }
            end(Self.stopping)
        }
    }

    /// - Returns: The reason why the configuration is unusable.
    private static func prepare(
        _ worker: Worker, _ served: ServedConfiguration, _ files: ServedFiles,
        _ opened: [ListenerNumber: BoundSocket], isFirst: Bool
    ) -> String? {
        do throws(TransportError) {
            var sockets = opened
            if !isFirst {
                for (number, socket) in opened { sockets[number] = try socket.another() }
            }
            try worker.prepare(served, files, opening: sockets)
            return nil
        } catch {
            return error.message
        }
    }

    private func discard(_ candidate: Candidate) {
        for socket in candidate.plan.opened.values { socket.close() }
        // The token manager may not have begun its part, or may have given it up.
        control.tokens.assumeIsolated { $0.abandonReplacement() }
        control.onWorkers { worker, _ in
            worker.discardPrepared()
        } done: { _ in
        }
    }

    private func prepareCredentials(_ candidate: Candidate) {
        let served = candidate.served
        let credentials = zip(served.configuration.credentials, served.numbers.credentials).map {
            TokenManager.Versioned($0, version: $1)
        }
        let (tokens, loop) = (control.tokens, loop)
        let done = LoopBound({ [weak self] in self?.credentialsPrepared($0, candidate) ?? () }, loop: loop)
        Task(executorPreference: loop) {
            var problem: String?
            do throws(TokenError) {
                try await tokens.prepareReplacement(by: credentials)
            } catch {
                problem = error.description
            }
            let found = problem
            loop.execute { done.value(found) }
        }
    }

    private func credentialsPrepared(_ problem: String?, _ candidate: Candidate) {
        perform(machine.tokensSaved(isUsable: problem == nil), problem, undoing: candidate) { swap(candidate) }
    }

    private func swap(_ candidate: Candidate) {
        let (served, listeners) = (candidate.served, candidate.plan.listeners)
        control.use(served, candidate.files)
        watchFile()
        control.onWorkers { worker, _ in
            worker.usePrepared(listeners)
        } done: { [unowned self] _ in
            control.closed(sockets.carriedOut(candidate.plan))
            replaceCredentials(candidate)
        }
    }

    /// Replaces the credentials behind all calls of the token manager that workers made by their old rules.
    private func replaceCredentials(_ candidate: Candidate) {
        let configuration = candidate.served.configuration
        let (tokens, publisher, tokenServers) = (control.tokens, control.publisher, tokenServers)
        let (numbers, client, loop) = (candidate.served.numbers, candidate.tokenClient, loop)
        let result = ReloadResult.applied(
            changes: candidate.changes.lines,
            needsRestart: candidate.changes.needsRestart + candidate.plan.needsRestart)
        let done = LoopBound({ [weak self] in self?.applied(result) ?? () }, loop: loop)
        Task(executorPreference: loop) {
            await tokens.replaceCredentials(cacheSize: configuration.cacheSize) {
                tokenServers.use(client)
                publisher.use(numbers)
            }
            loop.execute { done.value() }
        }
    }

    private func applied(_ result: ReloadResult) {
        // A token may have come for a credential that only the old rules had.
        control.onWorkers { worker, _ in
            worker.forgetUnusedTokens()
        } done: { _ in
        }
        if control.isServing {
            ServiceNotifier.ofThisProcess?.tell(ServiceNotifier.listening(on: sockets.addresses))
        }
        machine.swapped()
        end(result)
    }

    // MARK: - The end of a load

    private func end(_ result: ReloadResult) {
        let trigger = Set(running.map(\.trigger.rawValue)).sorted().joined(separator: ", ")
        var metadata: Logger.Metadata = ["trigger": "\(trigger)"]
        switch result {
        case .applied(let changes, let needsRestart):
            // A file may be touched, or get other permissions, and say the same.
            let isNews =
                !changes.isEmpty || lastProblems != nil || needsRestart != self.needsRestart
                || running.contains { $0.trigger != .file }
            lastProblems = nil
            counts.succeeded(at: LoopClock(loop: loop).unixTime)
            self.needsRestart = needsRestart
            metadata["changes"] = .array(changes.map { "\($0)" })
            if needsRestart.isEmpty {
                logger.log(level: isNews ? .notice : .debug, "configuration reloaded", metadata: metadata)
            } else {
                metadata["needsRestart"] = .array(needsRestart.map { "\($0)" })
                logger.log(
                    level: isNews ? .warning : .debug, "configuration reloaded, some settings need a restart",
                    metadata: metadata)
            }
        case .refused(let text):
            watch?.refused()
            // The same version of the file was loaded again.
            if text == lastProblems, running.allSatisfy({ $0.trigger == .file }) { break }
            lastProblems = text
            counts.failedOnce()
            metadata["problems"] = .array(text.split(separator: "\n").map { "\($0)" })
            logger.error("configuration not reloaded, the old one stays in force", metadata: metadata)
        case .unavailable: break
        }
        // A mount may have changed where the path leads, so watch it anew. A running look is handled after this, with the
        // result of the load.
        looks.lookSoon()
        control.reloadEnded()
        let ended = running
        running = []
        for request in ended { request.answer?(result) }
        perform(machine.proceeded(areWorkersComplete: control.areWorkersComplete))
    }
}
