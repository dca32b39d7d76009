import EventTransport
import HTTPWire

/// A connection of the embedded server: one request after the other.
final class EmbeddedConnection: StreamDelegate {
    private let stream: StreamConnection
    private let loop: EventLoop
    private unowned let server: EmbeddedServer
    private var received: [UInt8] = []
    private var isAnswering = false
    private var isWaiting = false
    private var isOpen = true
    /// When it was made or was last answered, by the server's count.
    private(set) var lastActivity: UInt64
    /// The client has sent all it will; what it asked is still answered.
    private var hasEnded = false

    private static let limits = HeadLimits(headBytes: 16_384, fieldCount: 100)
    private static let bodyLimit = 65_536
    private static let patience: Duration = .seconds(30)

    init(_ stream: StreamConnection, loop: EventLoop, server: EmbeddedServer) {
        self.stream = stream
        self.loop = loop
        self.server = server
        lastActivity = server.nextActivity()
        stream.delegate = self
        stream.deadline = loop.now.advanced(by: Self.patience)
        stream.start()
    }

    /// Whether it has asked for nothing that is still to be answered.
    var isIdle: Bool { !isAnswering && !isWaiting }

    func close() {
        guard isOpen else { return }
        isOpen = false
        stream.close()
        server.connectionEnded(self)
    }

    func streamReceived(_ bytes: Span<UInt8>) {
        received.append(copying: bytes)
        if received.count > Self.limits.headBytes + 2 * Self.bodyLimit { return close() }
        awaitTurn()
    }

    func streamEnded() {
        hasEnded = true
        awaitTurn()
    }

    func streamBlocked() {}
    func streamDrained() { awaitTurn() }
    func streamFailed(_ error: TransportError) { close() }
    func streamDeadlinePassed() { close() }

    /// Asks for a turn where there is something to do: a client that does not read its answers gets no more of them.
    private func awaitTurn() {
        guard isOpen, !isAnswering, !isWaiting, stream.queuedByteCount == 0, !received.isEmpty || hasEnded else {
            return
        }
        isWaiting = true
        server.awaitTurn(self)
    }

    /// Takes up the next request, if it has come whole.
    func takeTurn() {
        isWaiting = false
        guard isOpen else { return }
        if received.isEmpty || !serveNext(), hasEnded { close() }
    }

    /// - Returns: whether there was a whole request, or one to be refused.
    private func serveNext() -> Bool {
        do throws(MessageError) {
            let bytes = received
            guard let head = try RequestHead.parse(bytes.span, limits: Self.limits) else { return false }
            var offset = head.byteCount
            guard let body = try Self.body(head.framing, bytes.span, &offset) else { return false }
            received = Array(bytes[offset...])
            answer(head, bytes.span, body)
        } catch {
            write(EmbeddedServer.Response(error.status, "\(error.reason)\n"), isHead: false, persists: false)
        }
        return true
    }

    private static func body(
        _ framing: BodyFraming, _ bytes: Span<UInt8>, _ offset: inout Int
    ) throws(MessageError) -> [UInt8]? {
        var body: [UInt8] = []
        var decoder = BodyDecoder(framing)
        while !decoder.isComplete {
            switch try decoder.next(in: bytes, at: &offset) {
            case .data(let range): body.append(copying: bytes.extracting(range))
            case .end: return body
            case .needMore: return nil
            }
        }
        return body
    }

    private func answer(_ head: RequestHead, _ bytes: Span<UInt8>, _ body: [UInt8]) {
        func text(_ range: ByteRange) -> String {
            var copy: [UInt8] = []
            copy.append(copying: bytes, range)
            return String(decoding: copy, as: UTF8.self)
        }
        let target =
            switch head.target {
            case .origin(let path): text(path)
            case .absolute(_, _, _, let path): text(path)
            case .asterisk, .authority: text(head.targetText)
            }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let request = EmbeddedServer.Request(
            method: text(head.methodName), path: parts.first.map(String.init) ?? "",
            query: parts.count > 1 ? String(parts[1]) : "",
            authorization: head.fields.first(.authorization).map { text($0.value) },
            body: body)
        isAnswering = true
        let (isHead, persists) = (head.method == .head, head.isPersistent)
        server.answer(request) { [self] response in
            guard isOpen else { return }
            isAnswering = false
            write(response, isHead: isHead, persists: persists)
            awaitTurn()
        }
    }

    private func write(_ response: EmbeddedServer.Response, isHead: Bool, persists: Bool) {
        var out: [UInt8] = []
        out.append(
            contentsOf: """
                HTTP/1.1 \(response.status) \(Self.reason(response.status))\r
                Content-Type: \(response.contentType)\r
                Cache-Control: no-store\r

                """.utf8)
        // A HEAD may go without (RFC 9110 section 8.6), so its page need not be made.
        if !isHead { out.append(contentsOf: "Content-Length: \(response.body.utf8.count)\r\n".utf8) }
        for field in response.fields { out.append(contentsOf: "\(field)\r\n".utf8) }
        out.append(contentsOf: (persists ? "\r\n" : "Connection: close\r\n\r\n").utf8)
        if !isHead { out.append(contentsOf: response.body.utf8) }
        stream.write(out.span)
        stream.deadline = loop.now.advanced(by: Self.patience)
        lastActivity = server.nextActivity()
        guard !persists else { return }
        isOpen = false
        stream.closeAfterResponse()
        server.connectionEnded(self)
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}
