import EventTransport
import HTTPWire
import ProxyCore

/// A small HTTP/1.1 server on one loop, for Attaché's own pages: the admin listener and the servers of the
/// demonstration.
///
/// It takes small requests. Each turn of the loop serves one of them, so that the requests of apps are
/// served in between. A page may be ready at once or later.
final class EmbeddedServer {
    /// The part of a request that pages use.
    struct Request {
        let method: String
        /// The path without its query.
        let path: String
        let query: String
        let authorization: String?
        let body: [UInt8]
        /// Why the server's hosts do not allow it; nil if they do.
        var refusal: GatewayHosts.Refusal?
        /// The field `Accept`.
        var accept: String?
        /// The name in the path, for a page whose path has one.
        var name = ""
    }

    struct Response: Sendable {
        var status: Int
        var contentType: String
        var body: String
        var fields: [String]

        init(_ status: Int, _ body: String, contentType: String = "text/plain; charset=utf-8", fields: [String] = []) {
            self.status = status
            self.body = body
            self.contentType = contentType
            self.fields = fields
        }
    }

    typealias Answer = (Response) -> Void

    private let loop: EventLoop
    private var listener: Listener?
    private var connections: [ObjectIdentifier: EmbeddedConnection] = [:]
    /// Connections with unread bytes, in the order of their turns.
    private var waiting: [EmbeddedConnection] = []
    private lazy var nextTurn = Timer(loop: loop) { [unowned self] in giveTurn() }
    /// Increases with every connection and response; the lowest value shows the connection that has been idle
    /// longest.
    private var activityCount: UInt64 = 0
    private let respond: (Request, @escaping Answer) -> Void
    private let connectionLimit: Int
    /// The names by which requests may address the server; nil if any may.
    let hosts: GatewayHosts?

    /// Listens on a TCP address of its own.
    ///
    /// - Throws: If the server cannot listen on the address.
    convenience init(
        loop: EventLoop, address: SocketAddress, _ respond: @escaping (Request, @escaping Answer) -> Void
    ) throws(TransportError) {
        self.init(loop: loop, socket: try BoundSocket(address, reusePort: false), respond)
    }

    /// Serves a listening socket.
    ///
    /// - Parameters:
    ///   - loop: The loop.
    ///   - socket: The socket.
    ///   - hosts: The names by which requests may address the server; nil if any may, as on a Unix socket.
    ///   - respond: Answers each request.
    init(
        loop: EventLoop, socket: BoundSocket, hosts: GatewayHosts? = nil,
        _ respond: @escaping (Request, @escaping Answer) -> Void
    ) {
        self.loop = loop
        self.hosts = socket.address.tcpAddress == nil ? nil : hosts
        self.respond = respond
        let budget = DescriptorBudget(limit: DescriptorLimit.current)
        connectionLimit = budget.adminConnections
        let listener = Listener(
            loop: loop, socket: socket,
            descriptors: { DescriptorUse(open: 0, kept: budget.adminReserve) },
            accepted: { [unowned self] socket in accept(socket) })
        listener.failed = { [unowned self] _ in closeOldestIdle(idleFor: Self.idleBeforeShortage) }
        self.listener = listener
    }

    /// The TCP address; nil for a Unix socket.
    var address: SocketAddress? { listener?.address.tcpAddress }

    /// Closes the listener and all connections; a request that waits for its answer gets 409.
    func close() {
        listener?.close()
        listener = nil
        for connection in connections.values { connection.serverCloses() }
        connections = [:]
        waiting = []
        nextTurn.cancel()
    }

    private func accept(_ socket: consuming Socket) {
        if connections.count >= connectionLimit { closeOldestIdle() }
        // However many clients wait for an answer or send requests ahead, a health check gets through.
        if connections.count >= connectionLimit { closeMostServed() }
        if connections.count >= connectionLimit { closeLongestWaiting(where: \.isAwaitingAnswer) }
        if connections.count >= connectionLimit { closeLongestWaiting(where: \.isAwaitingTurn) }
        guard connections.count < connectionLimit else { return }
        let connection = EmbeddedConnection(StreamConnection(socket, loop: loop), loop: loop, server: self)
        connections[ObjectIdentifier(connection)] = connection
    }

    /// A client that has just connected may still be sending its request, so a shortage of descriptors does not close
    /// it sooner.
    private static let idleBeforeShortage = Duration.seconds(1)

    /// Closes the longest idle connection to make room for a new one, such as a health check.
    private func closeOldestIdle(idleFor least: Duration = .zero) {
        let latest = loop.now.advanced(by: .zero - least)
        let idle = connections.values.filter { $0.isIdle && $0.activeAt <= latest }
        for connection in idle.sorted(by: { $0.lastActivity < $1.lastActivity }) where connection.closeIfIdle() {
            return
        }
    }

    /// Closes the connection that has had the most answers and has sent further requests ahead.
    ///
    /// One that has had none yet may be a health check, which gets its turn after those before it.
    private func closeMostServed() {
        let served = connections.values.filter { $0.isAwaitingTurn && $0.answerCount > 0 }
        served.max { ($0.answerCount, $1.lastActivity) < ($1.answerCount, $0.lastActivity) }?.close()
    }

    /// Closes the connection whose request has waited longest, of those in one state.
    private func closeLongestWaiting(where isWaiting: (EmbeddedConnection) -> Bool) {
        let waiting = connections.values.filter(isWaiting)
        waiting.min { $0.lastActivity < $1.lastActivity }?.close()
    }

    // MARK: - What connections ask for

    /// Gives the connection a turn after those that already wait.
    func awaitTurn(_ connection: EmbeddedConnection) {
        waiting.append(connection)
        if waiting.count == 1 { nextTurn.schedule(after: .zero) }
    }

    private func giveTurn() {
        guard !waiting.isEmpty else { return }
        // Scheduled first, because the connection may ask for its next turn.
        if waiting.count > 1 { nextTurn.schedule(after: .zero) }
        waiting.removeFirst().takeTurn()
    }

    func answer(_ request: Request, _ answer: @escaping Answer) { respond(request, answer) }

    func nextActivity() -> UInt64 {
        activityCount += 1
        return activityCount
    }

    func connectionEnded(_ connection: EmbeddedConnection) {
        connections[ObjectIdentifier(connection)] = nil
        waiting.removeAll { $0 === connection }
    }
}
