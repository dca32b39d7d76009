import EventTransport
import HTTPWire

/// A small HTTP/1.1 server on one loop, for pages of our own: the admin listener and the servers of the demonstration.
///
/// Requests come whole and small, or are refused; each answer is given at once or later by a call.
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
    private let respond: (Request, @escaping Answer) -> Void

    /// More than this many connections are closed at once.
    private static let connectionLimit = 256

    /// - Throws: where the address cannot be listened on.
    init(
        loop: EventLoop, address: SocketAddress, _ respond: @escaping (Request, @escaping Answer) -> Void
    ) throws(TransportError) {
        self.loop = loop
        self.respond = respond
        let reserve = DescriptorBudget(limit: DescriptorLimit.current).adminReserve
        listener = try Listener(
            loop: loop, address: address, reusePort: false, leaving: { reserve },
            accepted: { [unowned self] socket in accept(socket) })
    }

    var address: SocketAddress? { listener?.address }

    /// Takes no more connections and closes those there are.
    func close() {
        listener?.close()
        listener = nil
        for connection in connections.values { connection.close() }
        connections = [:]
    }

    private func accept(_ socket: consuming Socket) {
        guard connections.count < Self.connectionLimit else { return }
        let stream = StreamConnection(socket, loop: loop)
        let connection = EmbeddedConnection(stream, loop: loop, respond: respond) { [unowned self] ended in
            connections[ObjectIdentifier(ended)] = nil
        }
        connections[ObjectIdentifier(connection)] = connection
    }
}
