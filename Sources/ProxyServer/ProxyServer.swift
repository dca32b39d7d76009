package import EventTransport
package import Logging
package import ProxyConfiguration
import ProxyCore
import Signing
import TokenClient
import TokenManager

/// The running proxy with its loops, listeners and token manager.
///
/// It may be made on one thread and run on another. Everything inside is confined to a loop.
package final class ProxyServer: Sendable {
    /// The addresses for apps with their actual ports, in the order of the configuration.
    package var listenerAddresses: [ListenerAddress] { sockets.map(\.address) }
    /// The address of the admin listener, if there is one.
    package let adminAddress: ListenerAddress?

    /// The sockets of the first worker's listeners, in the order of the configuration.
    private let sockets: [BoundSocket]
    private let loop: EventLoop
    private let context: Worker.Context
    /// The configuration of the start.
    private let served: ServedConfiguration
    private let publisher: CredentialPublisher
    private let tokenServers: TokenServers
    private let control: LoopBound<Control>

    /// Holds SIGHUP and SIGUSR1, which arrive during the start, until `handleSignals`; called first, on the first thread.
    package static func holdSignals() { Signals.hold() }

    /// Keeps OpenSSL usable for threads that still run when the process exits; called before any other use of OpenSSL.
    package static func keepOpenSSL() { ProcessExit.keepOpenSSL() }

    /// Forbids core dumps of the process, which would hold its secrets and tokens.
    package static func forbidCoreDumps() { CoreDumps.forbid() }

    /// Binds every listener; nothing is served before `run()`.
    ///
    /// - Throws: If an address, a file or a descriptor is not available.
    package convenience init(
        configuration: Configuration, sockets: StartSockets = .none, logger: Logger,
        threshold: LogThreshold = LogThreshold(), source: ConfigurationSource? = nil
    ) throws(StartError) {
        let loop: EventLoop
        do throws(TransportError) {
            loop = try EventLoop()
        } catch {
            throw StartError(error)
        }
        try self.init(
            configuration: configuration, passed: sockets.passed, logger: logger, threshold: threshold, source: source,
            loop: loop)
    }

    /// Makes the proxy on a loop that is shared, and stops the loop at the end.
    init(
        configuration: Configuration, passed: PassedSockets = .none, logger: Logger,
        threshold: LogThreshold = LogThreshold(), source: ConfigurationSource? = nil, loop: EventLoop
    ) throws(StartError) {
        self.loop = loop
        let configuration = configuration.withUsedCredentials
        do throws(TransportError) {
            let limits = configuration.limits
            served = ServedConfiguration(configuration)
            publisher = CredentialPublisher(served.numbers, logger: logger)
            let via = Self.viaName
            let own = OwnIdentity(via: via.line11)
            let names = NameCounts()
            let files = ServedFiles(of: configuration)
            let tokenServers = try TokenServers(
                configuration, files, avoiding: own, counting: names, loop: loop, logger: logger)
            self.tokenServers = tokenServers
            let tokens = TokenManager(
                credentials: configuration.credentials, cacheSize: configuration.cacheSize, transport: tokenServers,
                clock: LoopClock(loop: loop), observer: publisher, executor: loop)
            context = Worker.Context(
                tokens: tokens,
                tokenLoop: loop, logWriter: try Self.logWriter(configuration.accessLog, logger),
                workerCount: configuration.workers.count,
                connectionCount: ConnectionCount(limit: limits.connections), logger: logger,
                threshold: threshold, decisions: DecisionLog(logger), failures: FailureLog(logger), via: via, own: own,
                names: names)
            let worker = try Worker(context, serving: served, files, loop: loop)
            publisher.subscribe(worker.credentials, on: loop)
            control = LoopBound(
                Control(worker: worker, context: context, serving: served, files, publisher: publisher), loop: loop)
        } catch {
            throw StartError(error)
        }
        Signals.ignoreFailedWrites()
        do throws(StartError) {
            sockets = try Self.listen(control.value.worker, configuration, passed)
            adminAddress = try Self.openAdmin(control.value, configuration, passed)
        } catch {
            control.value.worker.stopListening()
            publisher.unsubscribeAll()
            throw error
        }
        control.value.take(
            ConfigurationReload(
                control.value, from: source, OpenSockets(sockets, configuration.listeners, passed), tokenServers,
                loop: loop, logger: logger))
    }

    /// A name for `Via` that no other process has.
    private static var viaName: ViaName {
        let number = SecureRandom.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let digits = String(number, radix: 16)
        return ViaName("attache-" + String(repeating: "0", count: 8 - digits.count) + digits)
    }

    /// Serves until a drain has ended, on the calling thread and, with several workers, on further threads.
    package func run() {
        let tokens = context.tokens
        loop.execute { [self] in
            startWorkers()
            control.value.startReload()
            control.value.startWatchdog()
            control.value.watchFindings()
        }
        Task(executorPreference: loop) { await tokens.start() }
        ServiceNotifier.ofThisProcess?.tell("READY=1", ServiceNotifier.listening(on: listenerAddresses))
        loop.run()
        for thread in control.value.threads { thread.join() }
        publisher.unsubscribeAll()
        let lost = context.logWriter?.finish(within: Self.lastWrite) ?? 0
        if lost > 0 {
            context.logger.warning(
                "lines of the access log lost at the end",
                metadata: ["lines": .stringConvertible(lost), "waited": "\(Self.lastWrite.secondsText())"])
        }
    }

    /// How long the end of the process waits for the access log's destination.
    private static let lastWrite: Duration = .seconds(1)

    /// Begins a drain; may be called on any thread.
    ///
    /// `/readyz` reports not ready at once. The listeners close after `drainDelay`. `run()` returns when the running
    /// exchanges have finished or `gracePeriod` is over. A further call ends the current period.
    package func drain() {
        let control = control
        loop.execute { control.value.drain(for: .signal, "call") }
    }

    /// Watches signals; must be called before `run()`.
    ///
    /// SIGTERM and SIGINT drain, SIGUSR1 and SIGHUP reopen the access log, and SIGHUP also loads the configuration again.
    ///
    /// - Throws: If the signals cannot be watched.
    package func handleSignals() throws(StartError) {
        do throws(TransportError) {
            try control.value.handleSignals()
            Signals.release()
        } catch {
            throw StartError(error)
        }
    }

    private func startWorkers() {
        for number in 1..<max(1, context.workerCount) {
            let (context, served, publisher, control, sockets) = (context, served, publisher, control, sockets)
            do throws(TransportError) {
                let thread = try EventLoop.startThread(name: "attache-\(number)") { loop in
                    do throws(TransportError) {
                        let worker = try Worker(context, serving: served, loop: loop)
                        publisher.subscribe(worker.credentials, on: loop)
                        for (number, socket) in sockets.enumerated() {
                            worker.listen(
                                on: try socket.another(), as: served.configuration.listeners[number], number)
                        }
                        let bound = LoopBound(worker, loop: loop)
                        context.tokenLoop.execute { control.value.joined(bound, loop) }
                    } catch {
                        context.logger.error("worker not started", metadata: ["reason": "\(error.message)"])
                        context.tokenLoop.execute { control.value.workerFailed() }
                    }
                }
                control.value.started(thread)
            } catch {
                context.logger.error("worker not started", metadata: ["reason": "\(error.message)"])
            }
        }
    }

    private static func logWriter(
        _ destination: AccessLogDestination, _ logger: Logger
    ) throws(TransportError) -> BackgroundWriter? {
        guard case .file(let path) = destination else { return try openLog(destination) }
        return try FileWaits.shared.reading(path) { () throws(TransportError) in
            warnOfPipe(path, logger)
            return try openLog(destination)
        }
    }

    private static func warnOfPipe(_ path: String, _ logger: Logger) {
        if BackgroundWriter.lacksReader(path) {
            logger.warning(
                "no process reads the access log's pipe",
                metadata: [
                    "path": "\(path)",
                    "advice": "start its reader; when the pipe is full, Attaché drops and counts lines",
                ])
        }
    }

    private static func openLog(_ destination: AccessLogDestination) throws(TransportError) -> BackgroundWriter? {
        switch destination {
        case .standardOutput: try BackgroundWriter(.standardOutput)
        case .standardError: try BackgroundWriter(.standardError)
        case .file(let path): try BackgroundWriter(.file(path))
        case .off: nil
        }
    }

    private static func listen(
        _ worker: Worker, _ configuration: Configuration, _ passed: PassedSockets
    ) throws(StartError) -> [BoundSocket] {
        var sockets: [BoundSocket] = []
        for (number, listener) in configuration.listeners.enumerated() {
            let socket = try ListenerSocket.bind(listener, reusePort: configuration.workers.count > 1, passed)
            do throws(TransportError) {
                // One that was passed stays open for a later configuration when its listener closes.
                try worker.listen(on: socket.isPassed ? socket.another() : socket, as: listener, number)
            } catch {
                throw StartError(error)
            }
            sockets.append(socket)
        }
        return sockets
    }

    private static func openAdmin(
        _ control: Control, _ configuration: Configuration, _ passed: PassedSockets
    ) throws(StartError) -> ListenerAddress? {
        guard let admin = configuration.admin else { return nil }
        let socket = try ListenerSocket.bind(admin, reusePort: false, passed)
        control.openAdmin(socket, hosts: admin.hosts)
        return socket.address
    }
}

extension WorkerCount {
    /// The number of loops on this machine.
    var count: Int {
        switch self {
        case .count(let count): count
        case .automatic: EventLoop.processorCount
        }
    }
}
