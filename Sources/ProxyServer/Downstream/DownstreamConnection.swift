import EventTransport
import HTTPWire
import ProxyCore

/// An app's connection: reads one request after the other and hands each to an exchange.
///
/// Confined to the worker's loop.
final class DownstreamConnection: StreamDelegate {
    let stream: StreamConnection
    private let worker: Worker
    // Copies of the worker's references: reading them through the worker would retain each one at every use.
    private let loop: EventLoop
    private let requestFields: FieldLines
    let listener: ServedListener
    /// Nil if the system does not know who it is.
    private let client: ServedClient?
    let state: Confined<DownstreamState>

    init(_ stream: StreamConnection, worker: Worker, listener: ServedListener, client: ServedClient? = nil) {
        self.stream = stream
        self.listener = listener
        self.client = client
        self.worker = worker
        loop = worker.loop
        requestFields = worker.requestFields
        state = Confined(DownstreamState(timeouts: worker.rules.timeouts))
        stream.delegate = self
        deadline.becameIdle(untaken: 0, at: loop.now)
        stream.start()
    }

    func streamReceived(_ bytes: Span<UInt8>) {
        guard backlog.isEmpty else {
            hold(bytes)
            consumeHeld()
            return
        }
        let used = consume(bytes)
        if used < bytes.count, !machine.isClosed { hold(bytes.extracting(used...)) }
    }

    private func hold(_ bytes: Span<UInt8>) {
        backlog.hold(bytes, limits: worker.headLimits)
        // Between two requests, the size limit of a head bounds the backlog, unless the next request has to wait for
        // a turn or for the app to read.
        if backlog.isFull, exchange != nil || backlog.reading.awaitsTurn || !isReadyForRequest {
            stream.pauseReading()
        }
    }

    /// Processes the held bytes as far as possible.
    private func consumeHeld() {
        guard !backlog.isEmpty, !machine.isClosed, let bytes = backlog.take(isServing: exchange != nil) else { return }
        let used = consume(bytes.span)
        guard used < bytes.count, !machine.isClosed else { return }
        backlog.hold(bytes.span.extracting(used...), limits: worker.headLimits)
        // Each exchange that ended has resumed reading, but the held bytes already suffice for many turns.
        if backlog.reading.awaitsTurn, backlog.isFull { stream.pauseReading() }
    }

    /// Reads requests and bodies from `bytes`.
    ///
    /// - Returns: the number of bytes used; the rest has to wait.
    private func consume(_ bytes: Span<UInt8>) -> Int {
        backlog.reading.readingBegan()
        defer { backlog.reading.readingEnded() }
        var offset = 0
        var hasBody = false
        while offset < bytes.count, !machine.isClosed {
            if let exchange {
                guard exchange.takesBody else { break }
                exchange.forwardBody(bytes, at: &offset)
                hasBody = true
            } else {
                guard isReadyForRequest else { break }
                guard backlog.takesRequest(in: loop.turn) else {
                    awaitTurn()
                    break
                }
                guard let begun = beginRequest(bytes.extracting(offset...)) else { break }
                offset += begun.byteCount
                hasBody = hasBody || begun.hasBody
            }
        }
        // A request without a body is sent when it begins.
        if hasBody { exchange?.flushRequest() }
        return offset
    }

    /// Lets other connections be served before the next request of this connection.
    private func awaitTurn() {
        backlog.reading.turnAwaited()
        // Weak: a drain serves the held bytes at once, and a loop that stops then must not keep the connection alive.
        loop.nextTurn { [weak self] in self?.turnCame() }
    }

    private func turnCame() {
        guard !machine.isClosed else { return }
        switch backlog.reading.turnCame() {
        case .read:
            consumeHeld()
            // In every other case, the event that the connection waits for resumes reading.
            if exchange == nil, !backlog.reading.awaitsTurn, !machine.isClosed, isReadyForRequest {
                stream.resumeReading()
            }
            closeIfOver()
        case .none: break
        }
    }

    /// Whether the app has read enough of its responses; requests that it sent ahead wait until then.
    private var isReadyForRequest: Bool { stream.queuedByteCount < RequestBacklog.limit }

    /// Parses one head and begins its exchange.
    ///
    /// - Returns: the head's length, and whether a body follows it; nil if the head is incomplete or was refused.
    private func beginRequest(_ bytes: Span<UInt8>) -> (byteCount: Int, hasBody: Bool)? {
        do throws(MessageError) {
            guard let head = try RequestHead.parse(bytes, limits: worker.headLimits, fields: requestFields)
            else {
                headBegan()
                return nil
            }
            let hasMore = head.byteCount < bytes.count
            // A client with Nagle's algorithm on sends its body once the head is acknowledged, which the kernel
            // delays by 40 ms.
            if !hasMore, !head.framing.isNone { stream.acknowledgeNow() }
            backlog.headRead(hasMore: hasMore)
            beginExchange().begin(head, in: bytes, from: self)
            backlog.reading.requestBegan()
            return (head.byteCount, !head.framing.isNone)
        } catch {
            beginExchange().refuse(error, in: bytes)
            return nil
        }
    }

    /// What holds for the next request; nil if a forward listener serves all routes to the app.
    var admission: Admission? { listener.admission(of: client) }

    /// Whether each response is to be the last one of its connection.
    var isEndAnnounced: Bool { worker.state.value.isEndAnnounced }

    private func beginExchange() -> Exchange {
        let exchange = worker.takeExchange(for: self)
        if let client { exchange.record.client = client.logName }
        state.value.began(exchange)
        return exchange
    }

    /// Resumes reading the request, as the exchange can take more of it.
    func resumeRequest() {
        stream.resumeReading()
        consumeHeld()
        exchange?.flushRequest()
        endIfRequestIsCut()
    }

    // MARK: - Ends

    /// The exchange has ended; its response is written or queued.
    func exchangeEnded(isPersistent: Bool, isLastRequest: Bool) {
        exchange = nil
        switch machine.exchangeEnded(
            isPersistent: isPersistent, isLastRequest: isLastRequest, hasMore: backlog.hasMore)
        {
        case .awaitRequest: readNextRequest()
        case .closeAfterResponse:
            stream.closeAfterResponse()
            leave()
        case .closeAtOnce:
            // Bytes that nobody reads would reset the connection, and the app might lose the response.
            if stream.holdsUnread { stream.closeAfterResponse() } else { stream.close() }
            leave()
        case .none: break
        }
    }

    /// Goes on with the next request, once the app has read enough of the responses before it.
    private func readNextRequest() {
        awaitRequest()
        if !backlog.reading.awaitsTurn { stream.resumeReading() }
        if !backlog.isEmpty, isReadyForRequest { consumeHeld() }
        closeIfOver()
    }

    /// Sets the deadline for the next request.
    ///
    /// The held bytes may be the beginning of a head. If the app is behind in reading, they are requests sent ahead.
    private func awaitRequest() {
        if machine.awaitsLast { return }
        if backlog.isEmpty || !isReadyForRequest {
            let untaken = stream.queuedByteCount > 0 ? stream.unacknowledgedByteCount : 0
            deadline.becameIdle(untaken: untaken, at: loop.now)
        } else {
            headBegan()
        }
    }

    private func headBegan() {
        // A drain has set how long it waits.
        if !machine.awaitsLast { deadline.headBegan(at: loop.now) }
    }

    /// The response was cut short.
    ///
    /// - Parameter resets: whether the app could take an orderly close for the end of the response.
    func exchangeWasCut(resets: Bool) {
        exchange = nil
        // A plain close with unread requests in the receive buffer would reset the connection, and an app that reads
        // late would lose the complete responses before this one.
        if resets { stream.abort() } else { stream.closeAfterResponse() }
        closed()
    }

    /// How long a drain waits for a request that may be on its way, in nanoseconds.
    ///
    /// An app that has just read a response may be sending its next request, which a closed connection would lose.
    private static let lastRequestTime: Int64 = 1_000_000_000

    /// Closes the connection once no request is in progress or on its way.
    func drain() {
        // Requests that the app has sent by now are still served.
        while backlog.reading.awaitsTurn, !machine.isClosed {
            backlog.renewTurn()
            turnCame()
        }
        let mayFollow =
            !backlog.isEmpty || deadline.hasJustBecomeIdle(within: Self.lastRequestTime, at: loop.now)
            || stream.holdsUnread
        switch machine.drainRequested(mayFollow: mayFollow) {
        case .close:
            stream.close()
            leave()
        case .awaitLast: deadline.lastRequestAwaited(for: Self.lastRequestTime, at: loop.now)
        case .none: break
        }
    }

    /// Aborts the connection and its exchange or tunnel, if any.
    func abort(_ error: ProxyError) {
        if let tunnel { return tunnel.abort(error) }
        exchange?.downstreamClosed(error)
        exchange = nil
        stream.abort()
        closed()
    }

    func streamEnded() {
        machine.appEnded()
        endIfRequestIsCut()
        closeIfOver()
    }

    /// Closes the connection if the app has ended its side and sent no more than half a head that is unserved.
    private func closeIfOver() {
        guard backlog.reading.isResting, isReadyForRequest else { return }
        switch machine.requestsRanOut() {
        case .close:
            stream.close()
            leave()
        case .none: break
        }
    }

    /// Aborts the exchange if the app ended its side before its request was complete and all received bytes are used.
    private func endIfRequestIsCut() {
        guard let exchange, exchange.takesBody, backlog.isEmpty else { return }
        switch machine.requestRanOut() {
        case .abort:
            exchange.downstreamClosed(Refusals.requestCut)
            self.exchange = nil
            stream.abort()
            leave()
        case .none: break
        }
    }

    func streamBlocked() {
        if let exchange {
            exchange.downstreamBlocked()
        } else {
            awaitRequest()
        }
    }

    func streamDrained() {
        if let exchange {
            exchange.downstreamDrained()
        } else {
            readNextRequest()
        }
    }

    func streamFailed(_ error: TransportError) {
        exchange?.downstreamClosed(Refusals.clientGone)
        exchange = nil
        stream.close()
        closed()
    }

    func streamDeadlinePassed() {
        let upstream = exchange?.upstream
        let isOver = deadline.isOver(
            at: loop.now, untakenRequest: upstream?.stream.unacknowledgedByteCount ?? 0,
            untakenResponse: stream.unacknowledgedByteCount)
        guard isOver else { return }
        if let exchange {
            exchange.deadlinePassed()
        } else if backlog.isEmpty || !isReadyForRequest {
            stream.close()
            closed()
        } else {
            let head = backlog.takeAll()
            beginExchange().headTimedOut(head.span)
        }
    }

    func closed() {
        switch machine.closed() {
        case .leave: leave()
        case .none: break
        }
    }

    /// Called after the stream has ended or begun to close, so that a drain that waits for the last connection sees
    /// what the stream has yet to send.
    private func leave() {
        _ = backlog.takeAll()
        worker.connectionClosed(self)
    }
}
