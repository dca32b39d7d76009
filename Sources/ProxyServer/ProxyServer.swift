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
    package let listenerAddresses: [SocketAddress]
    /// The address of the admin listener, if there is one.
    package let adminAddress: SocketAddress?

    private let loop: EventLoop
    private let context: Worker.Context
    private let publisher: CredentialPublisher
    private let control: LoopBound<Control>

    /// Forbids core dumps of the process, which would hold its secrets and tokens.
    package static func forbidCoreDumps() { CoreDumps.forbid() }

    /// Binds every listener; nothing is served before `run()`.
    ///
    /// - Throws: If an address, a file or a descriptor is not available.
    package convenience init(configuration: Configuration, logger: Logger) throws(StartError) {
        let loop: EventLoop
        do throws(TransportError) {
            loop = try EventLoop()
        } catch {
            throw StartError(error)
        }
        try self.init(configuration: configuration, logger: logger, loop: loop)
    }

    /// Makes the proxy on a loop that is shared, and stops the loop at the end.
    init(configuration: Configuration, logger: Logger, loop: EventLoop) throws(StartError) {
        self.loop = loop
        let configuration = configuration.withUsedCredentials
        do throws(TransportError) {
            let limits = configuration.limits
            publisher = CredentialPublisher(logger: logger)
            let own = OwnListeners()
            let transport = LoopTokenClient(
                loop: loop, connectTimeout: limits.connectTimeout, answerTimeout: limits.tokenServerTimeout,
                overrides: AddressOverrides(configuration.resolve), avoiding: own,
                caFileRefused: { reason in
                    logger.warning(
                        "certificate authorities of a token server not replaced, the old ones are kept",
                        metadata: ["reason": "\(reason)"])
                })
            let tokens = TokenManager(
                credentials: configuration.credentials, cacheSize: configuration.cacheSize, transport: transport,
                clock: LoopClock(loop: loop), observer: publisher, executor: loop)
            context = Worker.Context(
                configuration: configuration,
                routes: configuration.routeTable, tokens: tokens,
                tokenLoop: loop, logWriter: try Self.logWriter(configuration.accessLog, logger),
                workerCount: configuration.workers.count,
                connectionCount: ConnectionCount(limit: limits.connections), logger: logger,
                decisions: DecisionLog(logger), failures: FailureLog(logger), via: Self.viaName, own: own)
            let worker = try Worker(context, loop: loop)
            publisher.subscribe(worker.credentials, on: loop)
            control = LoopBound(Control(worker: worker, context: context, publisher: publisher), loop: loop)
        } catch {
            throw StartError(error)
        }
        Signals.ignoreFailedWrites()
        do throws(StartError) {
            listenerAddresses = try Self.listen(control.value.worker, configuration)
            adminAddress = try Self.openAdmin(control.value, configuration)
        } catch {
            publisher.unsubscribeAll()
            throw error
        }
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
        loop.execute { [self] in startWorkers() }
        Task(executorPreference: loop) { await tokens.start() }
        ServiceNotifier.ofThisProcess?.tell("READY=1", "STATUS=Listening on \(addressList)")
        loop.run()
        for thread in control.value.threads { thread.join() }
        publisher.unsubscribeAll()
        context.logWriter?.finish(within: .seconds(1))
    }

    private var addressList: String { listenerAddresses.map(\.description).joined(separator: ", ") }

    /// Begins a drain; may be called on any thread.
    ///
    /// `/readyz` reports not ready at once. The listeners close after `drainDelay`. `run()` returns when the running
    /// exchanges have finished or `gracePeriod` is over. A further call ends the current period.
    package func drain() {
        let control = control
        loop.execute { control.value.drain() }
    }

    /// Makes SIGTERM and SIGINT drain, and SIGUSR1 and SIGHUP reopen the access log; must be called before `run()`.
    ///
    /// - Throws: If the signals cannot be watched.
    package func handleSignals() throws(StartError) {
        do throws(TransportError) {
            try control.value.handleSignals()
        } catch {
            throw StartError(error)
        }
    }

    private func startWorkers() {
        for number in 1..<max(1, context.workerCount) {
            let (context, publisher, control, addresses) = (context, publisher, control, listenerAddresses)
            do throws(TransportError) {
                let thread = try EventLoop.startThread(name: "attache-\(number)") { loop in
                    do throws(TransportError) {
                        let worker = try Worker(context, loop: loop)
                        publisher.subscribe(worker.credentials, on: loop)
                        for (address, listener) in zip(addresses, context.configuration.listeners) {
                            _ = try worker.listen(on: address, mode: listener.mode, reusePort: true)
                        }
                        let bound = LoopBound(worker, loop: loop)
                        context.tokenLoop.execute { control.value.joined(bound, loop) }
                    } catch {
                        context.logger.error("worker not started", metadata: ["reason": "\(error.message)"])
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
                "no process reads the access log's pipe: start its reader; when the pipe is full, lines are dropped and counted",
                metadata: ["path": "\(path)"])
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
        _ worker: Worker, _ configuration: Configuration
    ) throws(StartError) -> [SocketAddress] {
        var addresses: [SocketAddress] = []
        for listener in configuration.listeners {
            do throws(TransportError) {
                let address = try SocketAddress(listener)
                addresses.append(
                    try worker.listen(
                        on: address, mode: listener.mode, reusePort: configuration.workers.count > 1))
            } catch {
                throw StartError(error, listeningOn: listener)
            }
        }
        return addresses
    }

    private static func openAdmin(
        _ control: Control, _ configuration: Configuration
    ) throws(StartError) -> SocketAddress? {
        guard let admin = configuration.admin else { return nil }
        do throws(TransportError) {
            return try control.openAdmin(SocketAddress(admin))
        } catch {
            throw StartError(error, listeningOn: admin)
        }
    }
}

extension SocketAddress {
    /// The address of a listener, whose host is a literal or `localhost`.
    init(_ listener: ListenerConfiguration) throws(TransportError) {
        guard let ip = IPAddress(literal: listener.host == "localhost" ? "127.0.0.1" : listener.host) else {
            throw TransportError(.resolution, "\(listener.host) is not an IP address; a listener needs one")
        }
        self.init(ip, port: listener.port)
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
