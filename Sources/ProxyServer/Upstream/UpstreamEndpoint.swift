import EventTransport
import HTTPWire
import ProxyCore

/// One origin as one worker reaches it: its address, its TLS and its pool of idle connections.
///
/// Two routes share an endpoint only if origin and TLS settings are the same, so that a connection verified for one
/// is never used by another. Confined to the worker's loop.
final class UpstreamEndpoint {
    let origin: Origin
    let hostLine: HostLine
    /// Its name in messages: the origin, or host and port of a tunnel, and the parent proxy on the way.
    let name: String
    /// Its name in the access log.
    let logName: UpstreamName
    let loop: EventLoop
    /// The newest nonce from the backend for proofs of possession.
    var nonce: String?
    private(set) var target: Connector.Target
    /// The TLS that changes with its files; nil if nothing of it is read from a file.
    private let changingTLS: EndpointTLS?
    /// The generation of `changingTLS` for new connections.
    private var generation = 0
    /// The backend's certificate on the newest connection.
    private(set) var certificate: BackendCertificate?
    /// The number of connections that are being made.
    private var pendingCount = 0
    /// The parent proxy on the way; nil without one.
    private let parent: ParentProxy?
    private let connector: Connector
    private let connectTimeout: Duration
    /// All idle connections of the worker, including those of this endpoint.
    let idle: IdleConnections
    private let state = Confined(State())

    private struct State: ~Copyable {
        var pool = UpstreamPoolStateMachine.pooling([])
        /// The open connections, idle or not, by their numbers.
        var connections: [UpstreamConnection?] = []
        var freeNumbers: [Int] = []

        mutating func acquireIdle() -> UpstreamConnection? {
            switch pool.acquire() {
            case .reuse(let number): connections[number]
            case .connect: nil
            }
        }

        mutating func takeNumber() -> Int {
            if let number = freeNumbers.popLast() { return number }
            connections.append(nil)
            return connections.count - 1
        }

        mutating func closed(_ number: Int) {
            connections[number] = nil
            freeNumbers.append(number)
        }
    }

    /// Makes an endpoint without connections.
    ///
    /// Its connections lead only to `addresses`. If an app chose the host (`isChosenByApp`), its look-up never delays those of
    /// hosts that the operator named. With a parent proxy, a connection ends at the proxy, or goes through a tunnel that the
    /// proxy opens (`isBehindTunnel`).
    init(
        origin: Origin, tls: TLSContext?, changingTLS: EndpointTLS?, serverName: String?, addresses: AddressGuard,
        isChosenByApp: Bool, isTunnel: Bool, parent: ParentProxy?, isBehindTunnel: Bool, loop: EventLoop,
        connector: Connector, connectTimeout: Duration,
        idle: IdleConnections
    ) {
        self.loop = loop
        self.origin = origin
        self.connector = connector
        self.connectTimeout = connectTimeout
        self.idle = idle
        self.changingTLS = changingTLS
        generation = changingTLS?.generation ?? 0
        hostLine = HostLine(origin)
        let place = isTunnel ? "\(Host.inURI(origin.host)):\(origin.port)" : "\(origin)"
        let way = parent?.way(opensTunnel: isBehindTunnel)
        self.parent = parent
        name = way.map { "\(place) through \($0)" } ?? place
        logName = UpstreamName(place)
        target = Connector.Target(
            host: origin.host, port: origin.port, tls: changingTLS?.context ?? tls, serverName: serverName,
            addresses: addresses, isChosenByApp: isChosenByApp, parent: way)
    }

    /// The credentials for the parent proxy that gets the requests in absolute-form; nil if the backend gets them.
    var askedParent: ParentAuthorization? { target.parent?.opensTunnel == false ? parent?.authorization : nil }

    /// An idle connection, or nil if a new one must be opened.
    func acquireIdle() -> UpstreamConnection? {
        if let changingTLS { renew(changingTLS) }
        return state.value.acquireIdle()
    }

    /// Opens a connection; `done` is called in a later turn of the loop, unless the attempt is cancelled.
    func connect(
        passing via: [UInt8] = [], _ done: @escaping (Result<UpstreamConnection, TransportError>) -> Void
    ) -> ConnectAttempt {
        let target = newestTarget(passing: via)
        let generation = generation
        let pending = PendingConnection(of: self)
        return connector.connect(to: target, timeout: connectTimeout) { result in
            done(result.map { stream in pending.endpoint.open(stream, generation) })
        }
    }

    /// Where a new connection leads, with the newest TLS and the newest credentials for the parent proxy.
    func newestTarget(passing via: [UInt8] = []) -> Connector.Target {
        if let changingTLS { renew(changingTLS) }
        var target = target
        if let parent { target.parent?.authorization = parent.authorization.line }
        target.parent?.via = via
        return target
    }

    /// An attempt to connect, which counts until it is over or cancelled.
    private final class PendingConnection {
        let endpoint: UpstreamEndpoint

        init(of endpoint: UpstreamEndpoint) {
            self.endpoint = endpoint
            endpoint.pendingCount += 1
        }

        deinit { endpoint.pendingCount -= 1 }
    }

    /// Uses a CA file or client certificate that was replaced, and closes idle connections made with the old one.
    private func renew(_ tls: EndpointTLS) {
        tls.renew(at: loop.now)
        guard generation != tls.generation else { return }
        generation = tls.generation
        target.tls = tls.context
        for number in state.value.pool.outdated() { state.value.connections[number]?.close() }
    }

    private func open(_ stream: StreamConnection, _ generation: Int) -> UpstreamConnection {
        if let end = stream.peerCertificateEnd {
            certificate = BackendCertificate(seenAt: loop.now, expiresAt: end)
        }
        let number = state.value.takeNumber()
        let connection = UpstreamConnection(stream, number: number, generation: generation, endpoint: self)
        state.value.connections[number] = connection
        return connection
    }

    /// Whether it has no connection and makes none.
    var isUnused: Bool { connectionCount == 0 && pendingCount == 0 }

    /// The number of open connections, idle or not.
    var connectionCount: Int { state.value.connections.count - state.value.freeNumbers.count }

    /// Takes back a connection that may be used again.
    func release(_ connection: UpstreamConnection) {
        guard connection.generation == generation else { return connection.close() }
        switch state.value.pool.released(connection.number) {
        case .keep: connection.becameIdle()
        case .close: connection.close()
        }
    }

    /// Removes an idle connection that was closed or must close.
    func forget(_ connection: UpstreamConnection) {
        state.value.pool.idleClosed(connection.number)
    }

    func connectionClosed(_ connection: UpstreamConnection) {
        state.value.closed(connection.number)
    }

    /// Closes the idle connections; those in use close when they are released.
    func drain() {
        for number in state.value.pool.drained() { state.value.connections[number]?.close() }
    }
}

/// The name of an origin as the access log has it.
///
/// A class, so that the log recognises the name of the line before without comparing the text.
final class UpstreamName: Sendable {
    /// A JSON string.
    let text: [UInt8]

    init(_ place: String) { text = Array(JSONText.quoted(place).utf8) }
}
