import EventTransport
import HTTPWire
import ProxyCore

/// An app's connection: reads one request after the other and hands each to an exchange.
///
/// Confined to the worker's loop. Bytes that cannot be used yet wait in `held`: an incomplete head, requests sent
/// ahead, or a body while the connection to its backend is being opened. An idle connection holds none.
final class DownstreamConnection: StreamDelegate {
    let stream: StreamConnection
    private let worker: Worker
    // Copies of the worker's references: reading them through the worker would retain each one at every use.
    private let loop: EventLoop
    private let requestFields: FieldLines
    let state: Confined<DownstreamState>

    /// Reading pauses once this many bytes are held for later.
    private static let holdLimit = 65_536

    init(_ stream: StreamConnection, worker: Worker) {
        self.stream = stream
        self.worker = worker
        loop = worker.loop
        requestFields = worker.requestFields
        state = Confined(DownstreamState(limits: worker.headLimits, timeouts: worker.timeouts))
        stream.delegate = self
        deadline.becameIdle(untaken: 0, at: loop.now)
        stream.start()
    }

    /// Whether the response in progress is the connection's last.
    ///
    /// An app that has ended its side still gets a response to each request that it sent before.
    var isDraining: Bool { machine.isLastResponse(hasMore: hasMore) }

    /// Whether some received bytes have not been looked at yet.
    private var hasMore: Bool { reading.hasMore(isHeld: !held.isEmpty) }

    func streamReceived(_ bytes: Span<UInt8>) {
        guard held.isEmpty else {
            hold(bytes)
            consumeHeld()
            return
        }
        let used = consume(bytes)
        if used < bytes.count, !machine.isClosed { hold(bytes.extracting(used...)) }
    }

    private func hold(_ bytes: Span<UInt8>) {
        held.append(copying: bytes)
        // Between two requests, the size limit of a head bounds `held`, unless the next request has to wait for a
        // turn or for the app to read.
        if held.count >= Self.holdLimit, exchange != nil || reading.awaitsTurn || !isReadyForRequest {
            stream.pauseReading()
        }
    }

    /// Processes the held bytes as far as possible.
    private func consumeHeld() {
        guard !held.isEmpty, reading.isResting, !machine.isClosed else { return }
        if exchange == nil, !scanner.scan(held.span) { return }
        var bytes: [UInt8] = []
        swap(&bytes, &held)
        let used = consume(bytes.span)
        guard used < bytes.count, !machine.isClosed else { return }
        held.append(copying: bytes.span.extracting(used...))
        // Each exchange that ended has resumed reading, but the held bytes already suffice for many turns.
        if reading.awaitsTurn, held.count >= Self.holdLimit { stream.pauseReading() }
    }

    /// Reads requests and bodies from `bytes`.
    ///
    /// - Returns: the number of bytes used; the rest has to wait.
    private func consume(_ bytes: Span<UInt8>) -> Int {
        reading.readingBegan()
        defer { reading.readingEnded() }
        var offset = 0
        while offset < bytes.count, !machine.isClosed {
            if let exchange {
                guard exchange.takesBody else { break }
                exchange.forwardBody(bytes, at: &offset)
            } else {
                guard isReadyForRequest else { break }
                guard turns.takes(in: loop.turn) else {
                    awaitTurn()
                    break
                }
                guard let used = beginRequest(bytes.extracting(offset...)) else { break }
                offset += used
            }
        }
        if offset > 0 { exchange?.flushRequest() }
        return offset
    }

    /// Lets other connections be served before the next request of this connection.
    private func awaitTurn() {
        reading.turnAwaited()
        // Weak: a drain serves the held bytes at once, and a loop that stops then must not keep the connection alive.
        loop.nextTurn { [weak self] in self?.turnCame() }
    }

    private func turnCame() {
        guard !machine.isClosed else { return }
        switch reading.turnCame() {
        case .read:
            consumeHeld()
            // In every other case, the event that the connection waits for resumes reading.
            if exchange == nil, !reading.awaitsTurn, !machine.isClosed, isReadyForRequest { stream.resumeReading() }
            closeIfOver()
        case .none: break
        }
    }

    /// Whether the app has read enough of its responses; requests that it sent ahead wait until then.
    private var isReadyForRequest: Bool { stream.queuedByteCount < Self.holdLimit }

    /// Parses one head and begins its exchange.
    ///
    /// - Returns: the head's length in bytes, or nil if the head is incomplete or was refused.
    private func beginRequest(_ bytes: Span<UInt8>) -> Int? {
        do throws(MessageError) {
            guard let head = try RequestHead.parse(bytes, limits: worker.headLimits, fields: requestFields)
            else {
                deadline.headBegan(at: loop.now)
                return nil
            }
            scanner = HeadScanner(limits: worker.headLimits)
            let hasMore = head.byteCount < bytes.count
            // A client with Nagle's algorithm on sends its body once the head is acknowledged, which the kernel
            // delays by 40 ms.
            if !hasMore, head.framing != .none { stream.acknowledgeNow() }
            reading.headRead(hasMore: hasMore)
            beginExchange().begin(head, in: bytes)
            reading.requestBegan()
            return head.byteCount
        } catch {
            let exchange = beginExchange()
            exchange.record.note(refused: bytes)
            exchange.refuse(ProxyError(.malformedRequest(error), error.advice(worker.limits)))
            return nil
        }
    }

    private func beginExchange() -> Exchange {
        machine.requestBegan()
        deadline.exchangeBegan()
        let exchange = worker.takeExchange(for: self)
        self.exchange = exchange
        return exchange
    }

    /// Resumes reading the request, as the exchange can take more of it.
    func resumeRequest() {
        stream.resumeReading()
        consumeHeld()
        exchange?.flushRequest()
        endIfRequestIsCut()
    }

    func resumeReading() { stream.resumeReading() }

    func pauseReading() { stream.pauseReading() }

    // MARK: - Ends

    /// The exchange has ended; its response is written or queued.
    func exchangeEnded(isPersistent: Bool) {
        exchange = nil
        switch machine.exchangeEnded(isPersistent: isPersistent, hasMore: hasMore) {
        case .awaitRequest:
            awaitRequest()
            if !reading.awaitsTurn { stream.resumeReading() }
            if isReadyForRequest { consumeHeld() }
            closeIfOver()
        case .close:
            stream.closeAfterResponse()
            leave()
        case .none: break
        }
    }

    /// Sets the deadline for the next request.
    ///
    /// The held bytes may be the beginning of a head. If the app is behind in reading, they are requests sent ahead.
    private func awaitRequest() {
        if held.isEmpty || !isReadyForRequest {
            let untaken = stream.queuedByteCount > 0 ? stream.unacknowledgedByteCount : 0
            deadline.becameIdle(untaken: untaken, at: loop.now)
        } else {
            deadline.headBegan(at: loop.now)
        }
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

    /// Closes the connection once no request is in progress.
    func drain() {
        // Requests that the app has sent by now are still served.
        while reading.awaitsTurn, !machine.isClosed {
            turns.renew()
            turnCame()
        }
        switch machine.drainRequested() {
        case .close:
            stream.close()
            leave()
        case .none: break
        }
    }

    /// Whether a request is in progress.
    var isServing: Bool { exchange != nil }

    /// Aborts the connection and its exchange, if any.
    func abort(_ error: ProxyError) {
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
        guard reading.isResting, isReadyForRequest else { return }
        switch machine.requestsRanOut() {
        case .close:
            stream.close()
            leave()
        case .none: break
        }
    }

    /// Aborts the exchange if the app ended its side before its request was complete and all received bytes are used.
    private func endIfRequestIsCut() {
        guard let exchange, exchange.takesBody, held.isEmpty else { return }
        switch machine.requestRanOut() {
        case .abort:
            exchange.downstreamClosed(nil)
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
            awaitRequest()
            if !reading.awaitsTurn { stream.resumeReading() }
            consumeHeld()
            closeIfOver()
        }
    }

    func streamFailed(_ error: TransportError) {
        exchange?.downstreamClosed(nil)
        exchange = nil
        stream.close()
        closed()
    }

    func streamDeadlinePassed() {
        let upstream = exchange?.upstream
        let isOver = deadline.isOver(at: loop.now) { direction in
            switch direction {
            case .request: upstream?.stream.unacknowledgedByteCount ?? 0
            case .response: stream.unacknowledgedByteCount
            }
        }
        guard isOver else { return }
        if let exchange {
            exchange.deadlinePassed()
        } else if held.isEmpty || !isReadyForRequest {
            stream.close()
            closed()
        } else {
            let exchange = beginExchange()
            exchange.record.note(refused: held.span)
            exchange.record.began(at: loop.now.advanced(byNanoseconds: -worker.timeouts.head))
            held = []
            exchange.refuse(
                ProxyError(
                    .requestHeadTimeout,
                    "The head of the request was not complete within \(worker.limits.headTimeout) (limits.headTimeout); send it "
                        + "faster, or raise the limit"))
        }
    }

    private func closed() {
        switch machine.closed() {
        case .leave: leave()
        case .none: break
        }
    }

    /// Called after the stream has ended or begun to close, so that a drain that waits for the last connection sees
    /// what the stream has yet to send.
    private func leave() {
        held = []
        worker.connectionClosed(self)
    }
}
