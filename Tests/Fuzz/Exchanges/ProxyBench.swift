import Logging

@testable import EventTransport
@testable import ProxyConfiguration
@testable import ProxyCore
@testable import ProxyServer
@testable import TokenManager

/// A proxy on the fuzzer's own thread, which steps its loop, between two apps and four backends on 127.0.0.1.
///
/// It is kept over all runs; at the end of each, nothing of the run is left in it.
final class ProxyBench {
    static let token = "tOkEn-51c0d3"
    static let key = "kEy-90b7e2"
    /// What the tokens of the bench's token server begin with.
    static let fetchedToken = "fEtChEd-3a61f8-"

    let loop: EventLoop
    let worker: Worker
    let port: UInt16
    /// Gets the token, gets the key in a field of its own, gets nothing, gets tokens of the token server.
    let backends = ["token.test", "key.test", "plain.test", "fetched.test"].map { FuzzBackend(name: $0) }
    let tokens: BenchTokens
    private let tokenClock: JumpingClock
    private let publisher: CredentialPublisher
    private var clock = 0

    init() throws {
        let configuration = try Self.configuration(ports: backends.map(\.port))
        loop = try EventLoop()
        let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
        let served = ServedConfiguration(configuration)
        publisher = CredentialPublisher(served.numbers, logger: logger)
        tokens = BenchTokens(loop: loop)
        tokenClock = JumpingClock(loop: loop)
        let manager = TokenManager(
            credentials: configuration.credentials, cacheSize: 10, transport: tokens, clock: tokenClock,
            observer: publisher, executor: loop)
        let context = Worker.Context(
            tokens: manager, tokenLoop: loop, logWriter: nil, workerCount: 1,
            connectionCount: ConnectionCount(limit: configuration.limits.connections), logger: logger,
            threshold: LogThreshold(),
            failures: FailureLog(logger), via: ViaName(), own: OwnIdentity(via: ViaName().line11))
        worker = try Worker(context, serving: served, loop: loop)
        publisher.subscribe(worker.credentials, on: loop)
        let socket = try BoundSocket(SocketAddress(.loopbackV4, port: 0), reusePort: false)
        worker.listen(on: socket, as: configuration.listeners[0], 0)
        port = socket.address.tcpAddress?.port ?? 0
        Signals.ignoreFailedWrites()
        Task(executorPreference: loop) { await manager.start() }
        BenchSocket.shrinkSending(onPort: port)
        while !hasCredentials { turn() }
    }

    private var hasCredentials: Bool {
        (0...2).allSatisfy { number in
            var exchange = ExchangeState(timeouts: worker.rules.backendTimeouts)
            exchange.credential = CredentialUse(number: number, variant: nil)
            return worker.credentials.lend(to: &exchange, at: .now)
        }
    }

    /// Serves what is ready and does not wait.
    private func turn() {
        loop.execute {}
        loop.runTurn()
    }

    /// Lets everything happen that follows from what was sent, until nobody has anything more to say.
    func settle(_ clients: [FuzzClient]) {
        var quiet = 0
        // After the last byte seen outside, what goes on inside, such as a connection made, takes a few turns.
        while quiet < 4 {
            turn()
            var isActive = false
            for backend in backends where backend.poll(&clock) { isActive = true }
            for client in clients where client.poll() { isActive = true }
            quiet = isActive ? 0 : quiet + 1
        }
    }

    /// The open connection to a backend that heard something last.
    var currentConnection: FuzzBackendConnection? {
        backends.flatMap(\.connections).filter { $0.socket.isOpen && !$0.socket.hasEnded }
            .max { $0.lastHeard < $1.lastHeard }
    }

    /// Ends every connection and requires that the proxy lets go of all it had.
    func clear(_ clients: [FuzzClient]) {
        for client in clients { client.closeAll() }
        tokens.answer()
        tokenClock.jump()
        for _ in 0..<1000 where !hasCredentials { turn() }
        // Without them every run to come would be refused and find nothing.
        require(hasCredentials, "a credential is gone")
        for backend in backends { backend.reset() }
        for _ in 0..<100_000 {
            turn()
            for backend in backends where backend.poll(&clock) { backend.reset() }
            let metrics = worker.metrics
            if metrics.downstreamConnections == 0, metrics.upstreamConnections == 0, loop.lingering.isEmpty { return }
        }
        fail(
            "connections are left: \(worker.metrics.downstreamConnections) of apps, "
                + "\(worker.metrics.upstreamConnections) to backends, \(loop.lingering.count) closing")
    }

    private static func configuration(ports: [UInt16]) throws -> Configuration {
        let text = """
            listeners: [{ address: 127.0.0.1:0 }]
            credentials:
              token: { type: static, value: \(token) }
              key: { type: static, value: \(key), header: X-Api-Key, scheme: none }
              fetched:
                { type: clientCredentials, tokenUrl: "http://127.0.0.1:1/", clientId: bench, clientSecret: s-2e8d17 }
            routes:
              - { name: token, match: { host: token.test }, upstream: "http://127.0.0.1:\(ports[0])", credential: token }
              - { name: key, match: { host: key.test }, upstream: "http://127.0.0.1:\(ports[1])", credential: key }
              - { name: plain, match: { host: plain.test }, upstream: "http://127.0.0.1:\(ports[2])", credential: none }
              - { name: fetched, match: { host: fetched.test }, upstream: "http://127.0.0.1:\(ports[3])", credential: fetched }
            limits: { headBytes: 1KiB, fieldCount: 8 }
            accessLog: { path: "off" }
            """
        var flags = Flags()
        flags.configurationFile = "bench.yaml"
        return try Configuration.load(flags: flags, environment: [:], files: OneFile(text: text))
    }

    private struct OneFile: FileReader {
        let text: String

        func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] { Array(text.utf8) }

        func identity(of path: String) -> String { path }

        func isFolder(_ path: String) -> Bool { false }

        func mayReplace(_ path: String) -> Bool { true }
    }
}
