import EventTransport
import ProxyCore

/// One origin as one worker reaches it: its address, its TLS, its pool of idle connections.
///
/// Two routes share an endpoint only if origin and TLS settings are the same, so that a connection verified for one is
/// never used by another. Confined to the worker's loop.
final class UpstreamEndpoint {
    let origin: Origin
    let hostLine: HostLine
    /// The origin as the access log names it.
    let logName: [UInt8]
    let loop: EventLoop
    /// The newest that the backend gave for proofs of possession.
    var nonce: String?
    private(set) var target: Connector.Target
    /// Whose certificate the connections show; nil where they show none.
    private let identity: ClientIdentity?
    /// Of which of its certificates new connections are.
    private var generation = 0
    private let connector: Connector
    private let connectTimeout: Duration
    /// All idle connections of the worker, those of this endpoint among them.
    let idle: IdleConnections
    private var pool = UpstreamPoolStateMachine.pooling([])
    /// The open connections, idle or not, by their numbers.
    private var connections: [UpstreamConnection?] = []
    private var freeNumbers: [Int] = []

    /// An endpoint without connections.
    ///
    /// Where the operator did not allow the destination (`isConfigured`), it may not lead to link-local addresses. Where
    /// an app chose the host (`isChosenByApp`), its look-up never delays those of hosts that the operator named.
    init(
        origin: Origin, tls: TLSContext?, identity: ClientIdentity?, serverName: String?, isConfigured: Bool,
        isChosenByApp: Bool, loop: EventLoop, connector: Connector, connectTimeout: Duration, idle: IdleConnections
    ) {
        self.loop = loop
        self.origin = origin
        self.connector = connector
        self.connectTimeout = connectTimeout
        self.idle = idle
        self.identity = identity
        generation = identity?.generation ?? 0
        hostLine = HostLine(origin)
        logName = Array(JSONText.quoted("\(origin)").utf8)
        target = Connector.Target(
            host: origin.host, port: origin.port, tls: identity?.context ?? tls, serverName: serverName,
            refusesLinkLocal: !isConfigured, isChosenByApp: isChosenByApp)
    }

    /// An idle connection, or nil where a new one must be made.
    func acquireIdle() -> UpstreamConnection? {
        if let identity { renew(identity) }
        return switch pool.acquire() {
        case .reuse(let number): connections[number]
        case .connect: nil
        }
    }

    /// Opens a connection; `done` is called on a later turn of the loop, unless the attempt is cancelled.
    func connect(_ done: @escaping (Result<UpstreamConnection, TransportError>) -> Void) -> ConnectAttempt {
        if let identity { renew(identity) }
        let generation = generation
        return connector.connect(to: target, timeout: connectTimeout) { [self] result in
            done(
                result.map { stream in open(stream, generation) })
        }
    }

    /// Takes up a client certificate that has been replaced; idle connections that show the old one are closed.
    private func renew(_ identity: ClientIdentity) {
        identity.renew(at: loop.now)
        guard generation != identity.generation else { return }
        generation = identity.generation
        target.tls = identity.context
        for number in pool.outdated() { connections[number]?.close() }
    }

    private func open(_ stream: StreamConnection, _ generation: Int) -> UpstreamConnection {
        let number = freeNumbers.popLast() ?? connections.count
        if number == connections.count { connections.append(nil) }
        let connection = UpstreamConnection(stream, number: number, generation: generation, endpoint: self)
        connections[number] = connection
        return connection
    }

    /// Connections that are open, idle or not.
    var connectionCount: Int { connections.count - freeNumbers.count }

    /// Takes back a connection that may serve again.
    func release(_ connection: UpstreamConnection) {
        guard connection.generation == generation else { return connection.close() }
        switch pool.released(connection.number) {
        case .keep: connection.becameIdle()
        case .close: connection.close()
        }
    }

    /// An idle connection is gone or must go.
    func forget(_ connection: UpstreamConnection) {
        pool.idleClosed(connection.number)
    }

    func connectionClosed(_ connection: UpstreamConnection) {
        connections[connection.number] = nil
        freeNumbers.append(connection.number)
    }

    /// Closes the idle connections; those in use close when they are released.
    func drain() {
        for number in pool.drained() { connections[number]?.close() }
    }
}
