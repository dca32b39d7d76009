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
    /// The index in `received` where the next request begins.
    private var start = 0
    /// Finds the end of an incomplete head, so that each byte is read once.
    private var scanner: HeadScanner?
    /// The body of a request whose head is complete.
    private var reading: BodyReading?
    /// Whether the request that is being answered is a HEAD.
    private var answersHead = false
    /// The number of responses so far.
    private(set) var answerCount = 0
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

    /// Whether a request has been received whose turn has not come.
    var isAwaitingTurn: Bool { !isIdle && !isAwaitingAnswer }

    private var holdsBytes: Bool { received.count > start }

    /// Closes the connection, unless its client has sent bytes that await a response.
    ///
    /// Closing while bytes wait in the kernel would reset the connection.
    ///
    /// - Returns: whether the connection is closed now.
    func closeIfIdle() -> Bool {
        stream.readNow()
        switch machine.roomNeeded(holdsBytes: holdsBytes) {
        case .close:
            close()
            return true
        case .keep: return false
        case .none: return true
        }
    }

    /// Closes the connection with its server; a request that waits for its answer is told so.
    func serverCloses() {
        guard isAwaitingAnswer else { return close() }
        let text = "attache is stopping and does not finish this request\n"
        answer(EmbeddedServer.Response(409, text), isHead: answersHead, persists: false)
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
        if received.count - start > 2 * Self.mostBytes { return close() }
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
        switch machine.progressed(holdsBytes: holdsBytes, isBlocked: stream.queuedByteCount > 0) {
        case .awaitTurn: server.awaitTurn(self)
        case .none: break
        }
    }

    /// Serves the next request, if it is complete.
    func takeTurn() {
        machine.turnCame()
        if holdsBytes, serveNext() { return }
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
            let all = received
            let bytes = all.span.extracting(start...)
            var begun = reading.take()
            if begun == nil { begun = try head(in: bytes) }
            guard var reading = begun else { return false }
            let isComplete = try reading.read(bytes)
            // A body may be complete at once, however long it is.
            if isComplete ? reading.body.count > Self.bodyLimit : bytes.count > Self.mostBytes {
                refuse(413, "the body is longer than \(Self.bodyLimit) bytes")
                return true
            }
            guard isComplete, let head = try RequestHead.parse(bytes, limits: Self.limits) else {
                self.reading = reading
                return false
            }
            requestEnds(at: start + reading.offset)
            answer(head, bytes, reading.body)
        } catch {
            refuse(error.status, error.reason)
        }
        return true
    }

    /// - Returns: The body that follows the head; nil if the head is incomplete.
    private func head(in bytes: Span<UInt8>) throws(MessageError) -> BodyReading? {
        if var scanner {
            let isWorthParsing = scanner.scan(bytes)
            self.scanner = scanner
            guard isWorthParsing else { return nil }
        }
        guard let head = try RequestHead.parse(bytes, limits: Self.limits) else {
            if scanner == nil { scanner = HeadScanner(limits: Self.limits) }
            return nil
        }
        scanner = nil
        return BodyReading(decoder: BodyDecoder(head.framing), offset: head.byteCount)
    }

    /// Drops the bytes of a request, but moves those behind it only after many requests.
    private func requestEnds(at end: Int) {
        start = end
        guard start == received.count || start >= Self.bodyLimit else { return }
        received.removeFirst(start)
        start = 0
    }

    /// A body of which a part has arrived.
    private struct BodyReading {
        var decoder: BodyDecoder
        /// Where the unread bytes begin, counted from the head's first byte.
        var offset: Int
        var body: [UInt8] = []

        /// - Returns: whether the body is complete.
        mutating func read(_ bytes: Span<UInt8>) throws(MessageError) -> Bool {
            while !decoder.isComplete {
                switch try decoder.next(in: bytes, at: &offset) {
                case .data(let range): body.append(copying: bytes.extracting(range))
                case .end: return true
                case .needMore: return false
                }
            }
            return true
        }
    }

    private func refuse(_ status: Int, _ reason: String) {
        machine.requestBegan()
        answer(EmbeddedServer.Response(status, "\(reason)\n"), isHead: false, persists: false)
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
        answersHead = isHead
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
        answerCount += 1
    }
}
