import EventTransport
import HTTPWire
import ProxyCore

/// A connection of the embedded server, which serves one request after the other; performs what
/// `EmbeddedConnectionStateMachine` decides.
final class EmbeddedConnection: StreamDelegate {
    private let stream: StreamConnection
    private let loop: EventLoop
    private unowned let server: EmbeddedServer
    private var received: [UInt8] = []
    private var machine = EmbeddedConnectionStateMachine.awaitingRequest(.sending)
    /// The server's counter at the connection's last response, or at its start.
    private(set) var lastActivity: UInt64
    /// The instant of the last response, or of the start.
    private(set) var activeAt: MonotonicInstant

    private static let limits = HeadLimits(headBytes: 16_384, fieldCount: 100)
    private static let bodyLimit = 65_536
    /// The most bytes of one request, with what chunks add to its body.
    private static let mostBytes = limits.headBytes + 2 * bodyLimit
    private static let timeout: Duration = .seconds(30)

    init(_ stream: StreamConnection, loop: EventLoop, server: EmbeddedServer) {
        self.stream = stream
        self.loop = loop
        self.server = server
        lastActivity = server.nextActivity()
        activeAt = loop.now
        stream.delegate = self
        stream.deadline = loop.now.advanced(by: Self.timeout)
        stream.start()
    }

    /// Whether no request awaits a response.
    var isIdle: Bool { machine.isIdle }

    /// Whether a request has been read and not answered.
    var isAwaitingAnswer: Bool { machine.isAnswering }

    /// Closes the connection, unless its client has sent bytes that await a response.
    ///
    /// Closing while bytes wait in the kernel would reset the connection.
    ///
    /// - Returns: whether the connection is closed now.
    func closeIfIdle() -> Bool {
        stream.readNow()
        switch machine.roomNeeded(holdsBytes: !received.isEmpty) {
        case .close:
            close()
            return true
        case .keep: return false
        case .none: return true
        }
    }

    func close() {
        switch machine.closed() {
        case .leave:
            stream.close()
            server.connectionEnded(self)
        case .none: break
        }
    }

    func streamReceived(_ bytes: Span<UInt8>) {
        received.append(copying: bytes)
        // More than this arrives only while the connection waits for an answer or a turn.
        if received.count > 2 * Self.mostBytes { return close() }
        awaitTurn()
    }

    func streamEnded() {
        machine.clientEnded()
        awaitTurn()
    }

    func streamBlocked() {}
    func streamDrained() { awaitTurn() }
    func streamFailed(_ error: TransportError) { close() }
    func streamDeadlinePassed() { close() }

    /// Asks for a turn if there is work; a client that does not read its answers gets none.
    private func awaitTurn() {
        switch machine.progressed(holdsBytes: !received.isEmpty, isBlocked: stream.queuedByteCount > 0) {
        case .awaitTurn: server.awaitTurn(self)
        case .none: break
        }
    }

    /// Serves the next request, if it is complete.
    func takeTurn() {
        machine.turnCame()
        if !received.isEmpty, serveNext() { return }
        switch machine.requestsRanOut() {
        case .close:
            stream.close()
            server.connectionEnded(self)
        case .none: break
        }
    }

    /// - Returns: Whether there was a complete or an invalid request.
    private func serveNext() -> Bool {
        do throws(MessageError) {
            let bytes = received
            guard let head = try RequestHead.parse(bytes.span, limits: Self.limits) else { return false }
            var offset = head.byteCount
            let body = try Self.body(head.framing, bytes.span, &offset)
            // A body may be complete at once, however long it is.
            if body.map({ $0.count > Self.bodyLimit }) ?? (bytes.count > Self.mostBytes) {
                refuse(413, "the body is longer than \(Self.bodyLimit) bytes")
                return true
            }
            guard let body else { return false }
            received = Array(bytes[offset...])
            answer(head, bytes.span, body)
        } catch {
            refuse(error.status, error.reason)
        }
        return true
    }

    private func refuse(_ status: Int, _ reason: String) {
        machine.requestBegan()
        answer(EmbeddedServer.Response(status, "\(reason)\n"), isHead: false, persists: false)
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
            body: body, refusal: refusal(of: head, bytes), accept: Self.accept(head, bytes))
        machine.requestBegan()
        // The answer may take a while.
        stream.deadline = loop.now.advanced(by: Self.timeout)
        let (isHead, persists) = (head.method == .head, head.isPersistent)
        server.answer(request) { [self] response in answer(response, isHead: isHead, persists: persists) }
    }

    private static func accept(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> String? {
        var values: [String] = []
        for index in 0..<head.fields.count {
            let field = head.fields[index]
            guard ASCII.equalsIgnoringCase(bytes, field.name, "accept") else { continue }
            var value: [UInt8] = []
            value.append(copying: bytes, field.value)
            values.append(String(decoding: value, as: UTF8.self))
        }
        return values.isEmpty ? nil : values.joined(separator: ",")
    }

    private func refusal(of head: borrowing RequestHead, _ bytes: Span<UInt8>) -> GatewayHosts.Refusal? {
        do throws(GatewayHosts.Refusal) {
            try server.hosts?.check(head, in: bytes)
            return nil
        } catch {
            return error
        }
    }

    private func answer(_ response: EmbeddedServer.Response, isHead: Bool, persists: Bool) {
        switch machine.answered(isPersistent: persists) {
        case .write:
            write(response, isHead: isHead, persists: persists)
            awaitTurn()
        case .writeAndClose:
            write(response, isHead: isHead, persists: persists)
            stream.closeAfterResponse()
            server.connectionEnded(self)
        case .none: break
        }
    }

    private func write(_ response: EmbeddedServer.Response, isHead: Bool, persists: Bool) {
        var out: [UInt8] = []
        out.append(
            contentsOf: """
                HTTP/1.1 \(response.status) \(ReasonPhrase.of(response.status))\r
                Content-Type: \(response.contentType)\r
                Cache-Control: no-store\r

                """.utf8)
        // A response to HEAD may lack Content-Length (RFC 9110 section 8.6), so no page is made for it.
        if !isHead { out.append(contentsOf: "Content-Length: \(response.body.utf8.count)\r\n".utf8) }
        for field in response.fields { out.append(contentsOf: "\(field)\r\n".utf8) }
        out.append(contentsOf: (persists ? "\r\n" : "Connection: close\r\n\r\n").utf8)
        if !isHead { out.append(contentsOf: response.body.utf8) }
        stream.write(out.span)
        stream.deadline = loop.now.advanced(by: Self.timeout)
        lastActivity = server.nextActivity()
        activeAt = loop.now
    }
}
