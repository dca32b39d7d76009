import EventTransport
import HTTPWire
import Logging
import ProxyConfiguration
import ProxyCore
import TokenManager

/// One event loop with all that its requests need; workers share nothing that a request touches.
///
/// Confined to its loop.
final class Worker {
    let loop: EventLoop
    let limits: Limits
    let timeouts: Timeouts
    /// Of a request that has no route.
    let backendTimeouts: BackendTimeouts
    let headLimits: HeadLimits
    let router: Router
    let credentials: CredentialTable
    /// The connections to backends that no exchange uses.
    let idleUpstreams: IdleConnections
    /// For the parse of a request's head, whose fields are used before the next one's.
    let requestFields = FieldLines()
    /// The same for responses.
    let responseFields = FieldLines()
    private let accessLog: AccessLog?
    private let connectionCount: ConnectionCount
    private let descriptorReserve: Int
    private let workerCount: Int
    private var listeners: [Listener] = []
    private var connections: [ObjectIdentifier: DownstreamConnection] = [:]
    private var spareExchanges: [Exchange] = []
    private var isRetired = false
    private var scratch = OutputBuffer()
    private var counted: Metrics
    private var drained: (() -> Void)?

    /// A burst's surplus of exchanges is not kept.
    private static let spareExchangeLimit = 256

    /// What is handed to every worker.
    struct Context: Sendable {
        var configuration: Configuration
        var routes: RouteTable
        var tokens: TokenManager
        var tokenLoop: EventLoop
        var logWriter: BackgroundWriter?
        var workerCount: Int
        var connectionCount: ConnectionCount
        var logger: Logger
    }

    private let logger: Logger
    private var nextAcceptReport = MonotonicInstant(nanoseconds: 0)

    init(_ context: Context, loop: EventLoop) throws(TransportError) {
        let configuration = context.configuration
        self.loop = loop
        logger = context.logger
        limits = configuration.limits
        timeouts = Timeouts(limits)
        backendTimeouts = BackendTimeouts(limits)
        headLimits = HeadLimits(headBytes: limits.headBytes, fieldCount: limits.fieldCount)
        workerCount = context.workerCount
        connectionCount = context.connectionCount
        let budget = DescriptorBudget(limit: DescriptorLimit.current)
        descriptorReserve = budget.reserve
        idleUpstreams = IdleConnections(limit: budget.idleUpstreams(ofWorkers: context.workerCount))
        router = try Router(
            table: context.routes, credentials: configuration.credentials, limits: limits, loop: loop,
            idle: idleUpstreams, logger: logger)
        credentials = CredentialTable(
            credentials: configuration.credentials, tokens: context.tokens, tokenLoop: context.tokenLoop, loop: loop)
        accessLog = context.logWriter.map {
            AccessLog(
                writer: $0, routes: context.routes.routes, credentials: configuration.credentialNames, loop: loop)
        }
        counted = Metrics(
            routeCount: context.routes.routes.count, credentialCount: configuration.credentials.count)
    }

    /// Takes connections from `address`.
    ///
    /// - Returns: the address with its real port.
    func listen(on address: SocketAddress, reusePort: Bool) throws(TransportError) -> SocketAddress {
        let listener = try Listener(
            loop: loop, address: address, reusePort: reusePort,
            leaving: { [unowned self] in descriptorsToLeave },
            accepted: { [unowned self] socket in accept(socket) })
        listener.failed = { [unowned self] error in reportAcceptFailure(error) }
        listeners.append(listener)
        return listener.address
    }

    /// A connection to a backend for every app that none is leased to, and the process's own.
    ///
    /// Other workers are taken to be as busy as this one.
    private var descriptorsToLeave: Int {
        let leasedCount = router.connectionCount - idleUpstreams.count
        return descriptorReserve + max(0, connections.count - leasedCount) * workerCount
    }

    /// The idle connections to backends that are closed when apps cannot be taken; the next attempt follows in 100 ms.
    private static let closedPerAcceptFailure = 16

    /// Descriptors that run out are noticed many times a second; once in a while is enough to be told.
    private func reportAcceptFailure(_ error: TransportError) {
        counted.acceptPauses += 1
        if error.kind == .descriptorLimit {
            for _ in 0..<Self.closedPerAcceptFailure where !idleUpstreams.closeOldest() { break }
        }
        guard loop.now >= nextAcceptReport else { return }
        nextAcceptReport = loop.now.advanced(by: .seconds(10))
        logger.warning("connections cannot be taken", metadata: ["reason": "\(error.message)"])
    }

    private func accept(_ socket: consuming Socket) {
        let stream = StreamConnection(socket, loop: loop)
        guard connectionCount.takes() else {
            counted.refusedConnections += 1
            var out = takeScratch()
            ErrorResponse(
                ProxyError(
                    .tooManyConnections, "More than \(limits.connections) connections (limits.connections)",
                    retryAfter: 1)
            ).append(to: &out, isHead: false, closes: true)
            stream.start()
            out.withSpan { _ = stream.write($0) }
            giveBackScratch(out)
            stream.closeAfterResponse()
            return
        }
        counted.acceptedConnections += 1
        let connection = DownstreamConnection(stream, worker: self)
        connections[ObjectIdentifier(connection)] = connection
    }

    func connectionClosed(_ connection: DownstreamConnection) {
        if connections.removeValue(forKey: ObjectIdentifier(connection)) != nil { connectionCount.left() }
        finishDrain()
    }

    // MARK: - What exchanges use over and over

    func takeExchange(for connection: DownstreamConnection) -> Exchange {
        let exchange = spareExchanges.popLast() ?? Exchange(worker: self)
        exchange.prepare(for: connection)
        return exchange
    }

    func giveBack(_ exchange: Exchange) {
        if !isRetired, spareExchanges.count < Self.spareExchangeLimit { spareExchanges.append(exchange) }
    }

    /// An empty buffer with room, to be given back in the same turn.
    func takeScratch() -> OutputBuffer {
        var buffer = OutputBuffer()
        swap(&buffer, &scratch)
        buffer.removeAll()
        return buffer
    }

    func giveBackScratch(_ buffer: consuming OutputBuffer) { scratch = buffer }

    /// Whether a record's method and target are of use.
    var writesAccessLog: Bool { accessLog != nil }

    func exchangeEnded(_ record: borrowing ExchangeRecord) {
        let now = loop.now
        counted.count(route: record.route, status: record.status, nanoseconds: now.nanoseconds(since: record.startedAt))
        accessLog?.append(record, endedAt: now)
    }

    func requestRetried(_ reason: Retry, _ record: borrowing ExchangeRecord) {
        counted.count(reason, route: record.route)
    }

    func tokenRefused(_ credential: CredentialUse) { counted.countRefusedToken(credential: credential.index) }

    var metrics: Metrics {
        var metrics = counted
        metrics.downstreamConnections = connections.count
        metrics.upstreamConnections = router.connectionCount
        metrics.droppedLogLines = accessLog?.droppedLineCount ?? 0
        return metrics
    }

    // MARK: - Drain

    /// Stops listening, lets running exchanges finish, and calls `done` when no connection is left and the
    /// last answers are out.
    ///
    /// What apps have sent by now is still served, even if nobody has looked at it or at their connection yet.
    func drain(_ done: @escaping () -> Void) {
        drained = done
        for listener in listeners {
            listener.acceptWaiting()
            listener.close()
        }
        listeners = []
        for connection in Array(connections.values) {
            connection.stream.readNow()
            connection.drain()
        }
        router.drain()
        finishDrain()
    }

    /// How many requests are under way.
    var servedRequestCount: Int { connections.values.count { $0.isServing } }

    /// Gives up what has not finished.
    func abort(_ error: ProxyError) {
        for connection in Array(connections.values) { connection.abort(error) }
    }

    /// Lets go of what is kept for exchanges, which hold the worker in turn; there are no more of them.
    func retire() {
        isRetired = true
        spareExchanges = []
    }

    private func finishDrain() {
        guard connections.isEmpty, let drained else { return }
        self.drained = nil
        accessLog?.flush()
        loop.whenNothingLingers(drained)
    }
}
