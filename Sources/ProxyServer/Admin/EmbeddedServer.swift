import EventTransport
import HTTPWire

/// A small HTTP/1.1 server on one loop, for pages of our own: the admin listener and the servers of the demonstration.
///
/// Requests come whole and small, or are refused; each answer is given at once or later by a call. One request is taken up
/// in each turn of the loop, whichever connection it comes from, so that apps' requests are served between two answers.
final class EmbeddedServer {
    /// A request as a page sees it.
    struct Request {
        let method: String
        /// The path without its query.
        let path: String
        let query: String
        let authorization: String?
        let body: [UInt8]
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
    /// Connections with bytes to be looked at, in the order of their turns.
    private var waiting: [EmbeddedConnection] = []
    private lazy var nextTurn = Timer(loop: loop) { [unowned self] in giveTurn() }
    /// Grows with every connection and answer, so that the connection idle for longest can be told.
    private var activityCount: UInt64 = 0
    private let respond: (Request, @escaping Answer) -> Void
    private let connectionLimit: Int

    /// - Throws: where the address cannot be listened on.
    init(
        loop: EventLoop, address: SocketAddress, _ respond: @escaping (Request, @escaping Answer) -> Void
    ) throws(TransportError) {
        self.loop = loop
        self.respond = respond
        let budget = DescriptorBudget(limit: DescriptorLimit.current)
        connectionLimit = budget.adminConnections
        let listener = try Listener(
            loop: loop, address: address, reusePort: false, leaving: { budget.adminReserve },
            accepted: { [unowned self] socket in accept(socket) })
        listener.failed = { [unowned self] _ in closeOldestIdle() }
        self.listener = listener
    }

    var address: SocketAddress? { listener?.address }

    /// Takes no more connections and closes those there are.
    func close() {
        listener?.close()
        listener = nil
        for connection in connections.values { connection.close() }
        connections = [:]
        waiting = []
        nextTurn.cancel()
    }

    private func accept(_ socket: consuming Socket) {
        if connections.count >= connectionLimit { closeOldestIdle() }
        guard connections.count < connectionLimit else { return }
        let connection = EmbeddedConnection(StreamConnection(socket, loop: loop), loop: loop, server: self)
        connections[ObjectIdentifier(connection)] = connection
    }

    /// Makes room for a new connection: idle ones cost their clients nothing and must not keep a health check out.
    private func closeOldestIdle() {
        connections.values.filter(\.isIdle).min { $0.lastActivity < $1.lastActivity }?.close()
    }

    // MARK: - What connections ask

    /// Gives the connection a turn, after those that wait already.
    func awaitTurn(_ connection: EmbeddedConnection) {
        waiting.append(connection)
        if waiting.count == 1 { nextTurn.schedule(after: .zero) }
    }

    private func giveTurn() {
        guard !waiting.isEmpty else { return }
        // Armed first, as the connection may ask for its next turn.
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
