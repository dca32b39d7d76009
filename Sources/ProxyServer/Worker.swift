import EventTransport
import HTTPWire
import Logging
import ProxyConfiguration
import ProxyCore
import TokenManager

/// One event loop with everything that its requests need; workers share nothing that a request touches.
///
/// Confined to its loop.
final class Worker {
    let loop: EventLoop
    let limits: Limits
    let timeouts: Timeouts
    /// The timeouts of a request without a route.
    let backendTimeouts: BackendTimeouts
    let headLimits: HeadLimits
    let router: Router
    let credentials: CredentialTable
    /// The idle connections to backends.
    let idleUpstreams: IdleConnections
    /// The fields of the request whose head is being parsed; reused for each head.
    let requestFields = FieldLines()
    /// The fields of the response whose head is being parsed; reused for each head.
    let responseFields = FieldLines()
    /// Nil unless the log shows the level debug.
    let decisions: DecisionLog?
    let failures: FailureLog
    private let accessLog: AccessLog?
    private let connectionCount: ConnectionCount
    private let own: OwnListeners
    private let descriptorReserve: Int
    /// The descriptors that were open before this worker served anybody.
    private let descriptorsAtStart: Int
    private let workerCount: Int
    private var listeners: [Listener] = []
    private var connections = ConnectionTable()
    private let state: Confined<State>
    private var drained: (() -> Void)?

    /// The state that each request changes.
    private struct State: ~Copyable {
        var exchanges = SpareExchanges()
        var scratch = OutputBuffer()
        var counted: Metrics

        init(_ counted: Metrics) { self.counted = counted }

    }

    private var counted: Metrics {
        get { state.value.counted }
        _modify { yield &state.value.counted }
    }

    /// The settings and objects that all workers share.
    struct Context: Sendable {
        var configuration: Configuration
        var routes: RouteTable
        var tokens: TokenManager
        var tokenLoop: EventLoop
        var logWriter: BackgroundWriter?
        var workerCount: Int
        var connectionCount: ConnectionCount
        var logger: Logger
        var decisions: DecisionLog?
        var failures: FailureLog
        var via: ViaName
        var own: OwnListeners
        /// Counts the look-ups of workers and of the token client.
        var names = NameCounts()
    }

    private let logger: Logger
    private var nextAcceptReport = MonotonicInstant(nanoseconds: 0)

    init(_ context: Context, loop: EventLoop) throws(TransportError) {
        let configuration = context.configuration
        self.loop = loop
        logger = context.logger
        decisions = context.decisions
        failures = context.failures
        limits = configuration.limits
        timeouts = Timeouts(limits)
        backendTimeouts = BackendTimeouts(limits)
        headLimits = HeadLimits(headBytes: limits.headBytes, fieldCount: limits.fieldCount)
        workerCount = context.workerCount
        connectionCount = context.connectionCount
        own = context.own
        let budget = DescriptorBudget(limit: DescriptorLimit.current)
        descriptorReserve = budget.reserve
        descriptorsAtStart = DescriptorLimit.openCount ?? 0
        idleUpstreams = IdleConnections(limit: budget.idleUpstreams(ofWorkers: context.workerCount))
        let endpoints = UpstreamEndpoints(
            loop: loop,
            connector: Connector(
                loop: loop, overrides: AddressOverrides(configuration.resolve), avoiding: context.own,
                counting: context.names),
            connectTimeout: limits.connectTimeout, idle: idleUpstreams,
            allowing: configuration.allowAddresses.compactMap { AddressRange($0) }, logger: logger)
        router = try Router(
            table: context.routes, credentials: configuration.credentials, limits: limits, endpoints: endpoints,
            upstreamProxy: configuration.upstreamProxy, via: context.via)
        credentials = CredentialTable(
            credentials: configuration.credentials, tokens: context.tokens, tokenLoop: context.tokenLoop, loop: loop)
        accessLog = context.logWriter.map {
            AccessLog(
                writer: $0, routes: context.routes.routes, credentials: configuration.credentialNames, loop: loop)
        }
        state = Confined(
            State(
                Metrics(
                    routeCount: context.routes.routes.count, credentialCount: configuration.credentials.count)))
    }

    /// Accepts connections on a socket, and serves them as the listener's configuration says.
    func listen(on socket: BoundSocket, as configuration: ListenerConfiguration) throws(TransportError) {
        let rules = router.rules(of: configuration, at: socket.address)
        let isLocal = socket.address.tcpAddress == nil
        let clients = try router.clients(of: configuration, rules) { path throws(TransportError) in
            try PasswordFile(path, loop: loop, logger: logger)
        }
        // Shared by all connections that are known by no name.
        let shared = clients.map { $0.admission(of: nil) } ?? rules.map { Admission($0) }
        let listener = Listener(
            loop: loop, socket: socket,
            descriptors: { [unowned self] in descriptorUse },
            accepted: { [unowned self] socket in
                let admission =
                    if !isLocal { shared } else {
                        clients?.admission(of: socket) ?? Admission(rules, peer: LocalPeer(of: socket))
                    }
                accept(socket, admission)
            })
        if let address = socket.address.tcpAddress { own.add(address) }
        listener.failed = { [unowned self] error in reportAcceptFailure(error) }
        listeners.append(listener)
    }

    /// Closes the listeners, which removes the files of Unix sockets.
    func stopListening() {
        for listener in listeners { listener.close() }
        listeners = []
    }

    /// The descriptors in use, and those to keep free: one for each client without a leased connection to a backend,
    /// and the reserve.
    ///
    /// Assumes that the other workers are as busy as this one.
    private var descriptorUse: DescriptorUse {
        let leasedCount = router.connectionCount - idleUpstreams.count
        return DescriptorUse(
            open: descriptorsAtStart + connectionCount.current + router.connectionCount,
            kept: descriptorReserve + max(0, connections.count - leasedCount) * workerCount)
    }

    /// The number of idle connections to backends to close after a failed accept; the next attempt follows in 100 ms.
    private static let closedPerAcceptFailure = 16

    /// Logs a failed accept, at most once in 10 s.
    private func reportAcceptFailure(_ error: TransportError) {
        counted.acceptPauses += 1
        if error.kind == .descriptorLimit {
            for _ in 0..<Self.closedPerAcceptFailure where !idleUpstreams.closeOldest() { break }
        }
        guard loop.now >= nextAcceptReport else { return }
        nextAcceptReport = loop.now.advanced(by: .seconds(10))
        logger.warning("cannot accept connections", metadata: ["reason": "\(error.message)"])
    }

    private func accept(_ socket: consuming Socket, _ admission: Admission?) {
        let stream = StreamConnection(socket, loop: loop)
        guard connectionCount.takes() else {
            counted.refusedConnections += 1
            var out = takeScratch()
            ErrorResponse(
                ProxyError(
                    .tooManyConnections,
                    "More than \(limits.connections) clients are connected (limits.connections); raise the limit, or look for "
                        + "clients that leak connections",
                    retryAfter: 1)
            ).append(to: &out, isHead: false, closes: true)
            stream.start()
            out.withSpan { _ = stream.write($0) }
            giveBackScratch(out)
            stream.closeAfterResponse()
            return
        }
        counted.acceptedConnections += 1
        connections.insert(DownstreamConnection(stream, worker: self, admission: admission))
    }

    func connectionClosed(_ connection: DownstreamConnection) {
        if connections.remove(connection) { connectionCount.left() }
        finishDrain()
    }

    // MARK: - What exchanges use repeatedly

    func takeExchange(for connection: DownstreamConnection) -> Exchange {
        let exchange = state.value.exchanges.take(in: loop.turn) ?? Exchange(worker: self)
        exchange.prepare(for: connection)
        return exchange
    }

    func giveBack(_ exchange: Exchange) { state.value.exchanges.giveBack(exchange, in: loop.turn) }

    /// An empty buffer with capacity, which must be given back in the same turn of the loop.
    func takeScratch() -> OutputBuffer {
        var buffer = OutputBuffer()
        swap(&buffer, &state.value.scratch)
        buffer.removeAll()
        return buffer
    }

    func giveBackScratch(_ buffer: consuming OutputBuffer) { state.value.scratch = buffer }

    /// Whether the access log needs the method and target of a record.
    var writesAccessLog: Bool { accessLog != nil }

    func exchangeEnded(_ record: borrowing ExchangeRecord) {
        let now = loop.now
        counted.count(route: record.route, status: record.status, nanoseconds: now.nanoseconds(since: record.startedAt))
        accessLog?.append(record, endedAt: now)
    }

    func tunnelOpened(_ kind: Tunnel.Kind, _ record: borrowing ExchangeRecord) {
        counted.count(
            route: record.route, status: record.status, nanoseconds: loop.now.nanoseconds(since: record.startedAt))
        counted.tunnels[kind].opened += 1
    }

    func tunnelEnded(_ kind: Tunnel.Kind, _ record: borrowing ExchangeRecord) {
        counted.tunnels[kind].ended(received: record.bytesReceived, sent: record.bytesSent)
        accessLog?.append(record, endedAt: loop.now)
    }

    func requestRetried(_ reason: Retry, _ record: borrowing ExchangeRecord) {
        counted.count(reason, route: record.route)
    }

    func tokenRefused(_ credential: CredentialUse) { counted.countRefusedToken(credential: credential.index) }

    var metrics: Metrics {
        var metrics = counted
        metrics.downstreamConnections = connections.count
        metrics.upstreamConnections = router.connectionCount
        metrics.backendCertificates = router.backendCertificates
        metrics.droppedLogLines = accessLog?.droppedLineCount ?? 0
        return metrics
    }

    // MARK: - Drain

    /// Stops listening, lets running exchanges finish, and calls `done` when the last connection has closed.
    ///
    /// Requests that have arrived by now are still served, even if their connection was not accepted yet.
    func drain(_ done: @escaping () -> Void) {
        drained = done
        for listener in listeners { listener.acceptWaiting() }
        stopListening()
        for connection in connections.all {
            connection.stream.readNow()
            connection.drain()
        }
        router.drain()
        finishDrain()
    }

    /// The number of running requests.
    var servedRequestCount: Int { connections.all.count { $0.isServing } }

    /// Cuts all running requests and closes all connections.
    func abort(_ error: ProxyError) {
        for connection in connections.all { connection.abort(error) }
    }

    /// Hands over the last log lines, which are there still if the time for a drain was over before its end, and
    /// releases the unused exchanges, which hold the worker in turn.
    func retire() {
        accessLog?.flush()
        state.value.exchanges.retire()
    }

    private func finishDrain() {
        guard connections.isEmpty, let drained else { return }
        self.drained = nil
        accessLog?.flush()
        loop.whenNothingLingers(drained)
    }
}
