import EventTransport
import HTTPWire
import ProxyCore

/// A connection of an app: reads requests one after the other and hands each to an exchange.
///
/// Confined to the worker's loop. Bytes that cannot be used yet (a head that is not whole, requests sent ahead, a body
/// whose backend is still being reached) wait in `held`; an idle connection holds none.
final class DownstreamConnection: StreamDelegate {
    let stream: StreamConnection
    private let worker: Worker
    // Copies of the worker's references. Reading them through the worker would retain each one at every use.
    private let loop: EventLoop
    private let requestFields: FieldLines
    let state: Confined<DownstreamState>

    /// So much is held of what an app sends ahead before its connection is read no more.
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

    /// Whether the response under way is the last one: of what an app asked before it ended, all is still answered.
    var isDraining: Bool { machine.isLastResponse(hasMore: hasMore) }

    /// Whether some of what the app has sent is still to be looked at.
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
        // Between two requests the limit of a head ends what is held, unless the next has to wait for the app to read.
        if held.count >= Self.holdLimit, exchange != nil || reading.awaitsTurn || !isReadyForRequest {
            stream.pauseReading()
        }
    }

    /// Uses what is held, as far as it goes.
    private func consumeHeld() {
        guard !held.isEmpty, reading.isResting, !machine.isClosed else { return }
        if exchange == nil, !scanner.scan(held.span) { return }
        var bytes: [UInt8] = []
        swap(&bytes, &held)
        let used = consume(bytes.span)
        guard used < bytes.count, !machine.isClosed else { return }
        held.append(copying: bytes.span.extracting(used...))
        // Each request that ended has resumed reading, but what is held already is enough for many turns.
        if reading.awaitsTurn, held.count >= Self.holdLimit { stream.pauseReading() }
    }

    /// Reads requests and bodies from `bytes`.
    ///
    /// - Returns: how many bytes were used; the rest has to wait.
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

    /// Lets other connections be served before the next request of this one.
    private func awaitTurn() {
        reading.turnAwaited()
        // A drain serves what is held at once; a loop that stops then must not keep the connection.
        loop.nextTurn { [weak self] in self?.turnCame() }
    }

    private func turnCame() {
        guard !machine.isClosed else { return }
        switch reading.turnCame() {
        case .read:
            consumeHeld()
            // Whatever else it waits for resumes reading itself.
            if exchange == nil, !reading.awaitsTurn, !machine.isClosed, isReadyForRequest { stream.resumeReading() }
            closeIfOver()
        case .none: break
        }
    }

    /// Requests that an app sends ahead wait until it has read the answers to those before.
    private var isReadyForRequest: Bool { stream.queuedByteCount < Self.holdLimit }

    /// Parses one head and begins its exchange.
    ///
    /// - Returns: the bytes of the head, or nil where it is not whole or was refused.
    private func beginRequest(_ bytes: Span<UInt8>) -> Int? {
        do throws(MessageError) {
            guard let head = try RequestHead.parse(bytes, limits: worker.headLimits, fields: requestFields)
            else {
                deadline.headBegan(at: loop.now)
                return nil
            }
            scanner = HeadScanner(limits: worker.headLimits)
            let hasMore = head.byteCount < bytes.count
            // A client that leaves Nagle's algorithm on sends its body when the head is acknowledged, which the kernel
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

    /// The exchange can take more of its request.
    func resumeRequest() {
        stream.resumeReading()
        consumeHeld()
        exchange?.flushRequest()
        endIfRequestIsCut()
    }

    func resumeReading() { stream.resumeReading() }

    func pauseReading() { stream.pauseReading() }

    // MARK: - Ends

    /// The exchange is over and its response is on its way.
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

    /// What is held may be the beginning of a head; requests sent ahead of a reader that is behind are none.
    private func awaitRequest() {
        if held.isEmpty || !isReadyForRequest {
            let untaken = stream.queuedByteCount > 0 ? stream.unacknowledgedByteCount : 0
            deadline.becameIdle(untaken: untaken, at: loop.now)
        } else {
            deadline.headBegan(at: loop.now)
        }
    }

    /// The response could not be finished.
    ///
    /// - Parameter resets: whether an orderly close could be taken for the end of the response.
    func exchangeWasCut(resets: Bool) {
        exchange = nil
        // Closing on requests that were sent ahead would take whole responses before this one from an app that reads late.
        if resets { stream.abort() } else { stream.closeAfterResponse() }
        closed()
    }

    /// Closes once nothing is under way.
    func drain() {
        // What the app has sent by now is still served.
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

    /// Whether a request is under way.
    var isServing: Bool { exchange != nil }

    /// Gives up the connection with whatever is under way.
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

    /// Closes where the app has ended and nothing of what it asked is left: half a head at most.
    private func closeIfOver() {
        guard reading.isResting, isReadyForRequest else { return }
        switch machine.requestsRanOut() {
        case .close:
            stream.close()
            leave()
        case .none: break
        }
    }

    /// Breaks off where the app has ended before its request was whole, and nothing of it is left to be read.
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

    /// Comes after the stream's own end, so that a drain that waits for the last connection sees what that has yet to send.
    private func leave() {
        held = []
        worker.connectionClosed(self)
    }
}
