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
    let credentials: CredentialTable
    /// The idle connections to backends.
    let idleUpstreams: IdleConnections
    /// The fields of the request whose head is being parsed; reused for each head.
    let requestFields = FieldLines()
    /// The fields of the response whose head is being parsed; reused for each head.
    let responseFields = FieldLines()
    /// Nil unless the log shows the level debug.
    var decisions: DecisionLog?
    let failures: FailureLog
    let accessLog: AccessLog?
    /// Nil without `tracing`.
    let tracer: Tracer?
    let connectionCount: ConnectionCount
    let own: OwnIdentity
    let names: NameCounts
    let descriptorReserve: Int
    /// The descriptors that were open before this worker served anybody.
    let descriptorsAtStart: Int
    let workerCount: Int
    /// The open listeners by the numbers that all workers know them by.
    var listeners: [ListenerNumber: OpenListener] = [:]
    var connections = ConnectionTable()
    private(set) lazy var history = TrafficHistory(loop: loop, isAlwaysCounting: accessLog != nil) { [unowned self] in
        counted
    }
    let state: Confined<State>
    /// Endpoints of earlier rules, whose exchanges may not have ended.
    var leaving: [UpstreamEndpoints] = []
    /// The numbers of the credentials of all rules that an exchange may have, by their serial numbers.
    var credentialsInUse: [Int: Set<Int>]
    /// What takes the place of the rules in force, if all other workers are prepared too.
    var prepared: Prepared?
    private(set) var isDraining = false
    private var drained: (() -> Void)?

    struct OpenListener {
        let listener: Listener
        let served: ServedListener
    }

    /// The state that each request changes.
    struct State: ~Copyable {
        var inForce: InForce
        /// A copy of the rules' limits, because each head needs them.
        var headLimits: HeadLimits
        var exchanges = SpareExchanges()
        var scratch = OutputBuffer()
        var counted: Metrics
        /// Whether responses ask apps to close their connections.
        var isEndAnnounced = false

        init(_ inForce: InForce, _ counted: Metrics) {
            self.inForce = inForce
            headLimits = inForce.rules.headLimits
            self.counted = counted
        }
    }

    var counted: Metrics {
        get { state.value.counted }
        _modify { yield &state.value.counted }
    }

    /// What is in force for new requests.
    var rules: ServingRules { state.value.inForce.rules }

    var inForce: InForce { state.value.inForce }

    /// The endpoints of the rules in force.
    var endpoints: UpstreamEndpoints { state.value.inForce.endpoints }

    /// The number by which unused exchanges are known to suit what is in force.
    var generation: Int { state.value.exchanges.generation }

    var headLimits: HeadLimits { state.value.headLimits }

    /// The settings and objects that all workers share for the whole run.
    struct Context: Sendable {
        var tokens: TokenManager
        var tokenLoop: EventLoop
        var logWriter: BackgroundWriter?
        var workerCount: Int
        var connectionCount: ConnectionCount
        var logger: Logger
        /// The level of `logger`, which may change.
        var threshold: LogThreshold
        var decisions: DecisionLog?
        var failures: FailureLog
        var via: ViaName
        var own: OwnIdentity
        /// Counts the look-ups of workers and of the token client.
        var names = NameCounts()
        /// What happened in one moment and is a finding for a minute.
        var incidents = Incidents()
    }

    let logger: Logger
    private let incidents: Incidents
    var nextAcceptReport = MonotonicInstant(nanoseconds: 0)

    /// - Parameters:
    ///   - context: What all workers share.
    ///   - served: The configuration.
    ///   - files: What its files hold; without it, the calling thread reads them.
    ///   - loop: The worker's own loop.
    /// - Throws: If a file is unusable.
    init(
        _ context: Context, serving served: ServedConfiguration, _ files: ServedFiles? = nil, loop: EventLoop
    ) throws(TransportError) {
        let configuration = served.configuration
        self.loop = loop
        logger = context.logger
        incidents = context.incidents
        decisions = context.decisions
        failures = context.failures
        workerCount = context.workerCount
        connectionCount = context.connectionCount
        own = context.own
        let budget = DescriptorBudget(limit: DescriptorLimit.current)
        descriptorReserve = budget.reserve
        descriptorsAtStart = DescriptorLimit.openCount ?? 0
        idleUpstreams = IdleConnections(limit: budget.idleUpstreams(ofWorkers: context.workerCount))
        names = context.names
        let endpointSettings = EndpointSettings(configuration)
        let endpoints = endpointSettings.endpoints(on: loop, idle: idleUpstreams, own, names, logger)
        credentials = CredentialTable(
            credentials: configuration.credentials, tokens: context.tokens, tokenLoop: context.tokenLoop, loop: loop)
        accessLog = context.logWriter.map {
            AccessLog(
                writer: $0, routes: served.numbers.routeNames, credentials: served.numbers.credentialNames,
                fields: configuration.accessLogFields, loop: loop)
        }
        let (names, logger) = (context.names, context.logger)
        tracer = configuration.tracing.map {
            Tracer(
                $0, resolve: configuration.resolve, avoiding: context.own, loop: loop, names: names, logger: logger)
        }
        tracer?.learn(routes: served.numbers.routeNames, credentials: served.numbers.credentialNames)
        credentialsInUse = [served.serial: Set(served.numbers.credentials)]
        let files = files ?? ServedFiles(of: configuration)
        state = Confined(
            State(
                InForce(
                    served: served,
                    rules: try ServingRules(served, files, endpoints: endpoints, via: context.via),
                    endpoints: endpoints, endpointSettings: endpointSettings,
                    passwordFiles: try PasswordFile.files(of: configuration.listeners, files)),
                Metrics(
                    routeCount: configuration.routes.count, credentialCount: configuration.credentials.count)))
        accessLog?.whenDropped { [incidents] in incidents.note(.logLinesDropped, at: loop.continuousNow) }
        let history = history
        accessLog?.whenHandedOver { history.requestsEnded() }
    }

    // MARK: - What exchanges use repeatedly

    func takeExchange(for connection: DownstreamConnection) -> Exchange {
        let exchange = state.value.exchanges.take(in: loop.turn) ?? Exchange(worker: self, rules: rules)
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

    /// Something happened that is a finding for a minute.
    func note(_ incident: Incident) { incidents.note(incident, at: loop.continuousNow) }

    // MARK: - Drain

    /// From now on, each response says `Connection: close`, so that few connections are left when the listeners close.
    func announceEnd() { state.value.isEndAnnounced = true }

    /// Stops listening, lets running exchanges finish, and calls `done` when the last connection has closed.
    ///
    /// Requests that have arrived by now are still served, even if their connection was not accepted yet.
    func drain(_ done: @escaping () -> Void) {
        isDraining = true
        drained = done
        for open in listeners.values { open.listener.acceptWaiting() }
        stopListening()
        for connection in connections.all {
            connection.stream.readNow()
            connection.drain()
        }
        for endpoints in leaving + [endpoints] { endpoints.drain() }
        finishDrain()
    }

    /// The number of running requests.
    var servedRequestCount: Int { connections.all.count { $0.isServing } }

    /// Cuts all running requests and closes all connections.
    func abort(_ error: ProxyError) {
        for connection in connections.all { connection.abort(error) }
    }

    /// Hands over the last log lines and gives up the last spans, which are there still if the time for a drain was over
    /// before its end, and releases the unused exchanges, which hold the worker in turn.
    func retire() {
        accessLog?.flush()
        tracer?.giveUp()
        history.stop()
        state.value.exchanges.retire()
    }

    func finishDrain() {
        guard connections.isEmpty, let drained else { return }
        self.drained = nil
        accessLog?.flush()
        guard let tracer else { return loop.whenNothingLingers(drained) }
        tracer.finish { [loop] in loop.whenNothingLingers(drained) }
    }
}
