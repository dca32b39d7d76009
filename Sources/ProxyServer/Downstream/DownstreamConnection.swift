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
    private var machine = DownstreamConnectionStateMachine.idle
    private var exchange: Exchange?
    private var held: [UInt8] = []
    private var scanner: HeadScanner
    /// The app has sent all it will; what it asked is still answered.
    private var hasEnded = false
    private var isOpen = true
    private var isConsuming = false

    /// So much is held of what an app sends ahead before its connection is read no more.
    private static let holdLimit = 65_536

    init(_ stream: StreamConnection, worker: Worker) {
        self.stream = stream
        self.worker = worker
        scanner = HeadScanner(limits: worker.headLimits)
        stream.delegate = self
        stream.deadline = worker.loop.now.advanced(byNanoseconds: worker.timeouts.idle)
        stream.start()
    }

    var isDraining: Bool { machine.isDraining || hasEnded }

    func streamReceived(_ bytes: Span<UInt8>) {
        guard held.isEmpty else {
            hold(bytes)
            consumeHeld()
            return
        }
        let used = consume(bytes)
        if used < bytes.count, isOpen { hold(bytes.extracting(used...)) }
    }

    private func hold(_ bytes: Span<UInt8>) {
        held.append(copying: bytes)
        // Between two requests the limit of a head ends what is held, unless the next has to wait for the app to read.
        if held.count >= Self.holdLimit, exchange != nil || !isReadyForRequest { stream.pauseReading() }
    }

    /// Uses what is held, as far as it goes.
    private func consumeHeld() {
        guard !held.isEmpty, !isConsuming, isOpen else { return }
        if exchange == nil, !scanner.scan(held.span) { return }
        var bytes: [UInt8] = []
        swap(&bytes, &held)
        let used = consume(bytes.span)
        guard used < bytes.count, isOpen else { return }
        held.append(copying: bytes.span.extracting(used...))
    }

    /// Reads requests and bodies from `bytes`.
    ///
    /// - Returns: how many bytes were used; the rest has to wait.
    private func consume(_ bytes: Span<UInt8>) -> Int {
        isConsuming = true
        defer { isConsuming = false }
        var offset = 0
        while offset < bytes.count, isOpen {
            if let exchange {
                guard exchange.takesBody else { break }
                exchange.forwardBody(bytes, at: &offset)
            } else {
                guard isReadyForRequest, let used = beginRequest(bytes.extracting(offset...)) else { break }
                offset += used
            }
        }
        if offset > 0 { exchange?.flushRequest() }
        return offset
    }

    /// Requests that an app sends ahead wait until it has read the answers to those before.
    private var isReadyForRequest: Bool { stream.queuedByteCount < Self.holdLimit }

    /// Parses one head and begins its exchange.
    ///
    /// - Returns: the bytes of the head, or nil where it is not whole or was refused.
    private func beginRequest(_ bytes: Span<UInt8>) -> Int? {
        do throws(MessageError) {
            guard let head = try RequestHead.parse(bytes, limits: worker.headLimits, fields: worker.requestFields)
            else {
                stream.deadline = worker.loop.now.advanced(byNanoseconds: worker.timeouts.head)
                return nil
            }
            scanner = HeadScanner(limits: worker.headLimits)
            beginExchange().begin(head, in: bytes)
            return head.byteCount
        } catch {
            beginExchange().refuse(ProxyError(.malformedRequest(error), error.detail(worker.limits)))
            return nil
        }
    }

    private func beginExchange() -> Exchange {
        machine.requestBegan()
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
        switch machine.exchangeEnded(isPersistent: isPersistent && !hasEnded) {
        case .awaitRequest:
            let patience = held.isEmpty ? worker.timeouts.idle : worker.timeouts.head
            stream.deadline = worker.loop.now.advanced(byNanoseconds: patience)
            stream.resumeReading()
            if isReadyForRequest { consumeHeld() }
        case .close:
            stream.closeAfterResponse()
            forget()
        case .none: break
        }
    }

    /// The response could not be finished.
    ///
    /// - Parameter resets: whether an orderly close could be taken for the end of the response.
    func exchangeWasCut(resets: Bool) {
        exchange = nil
        if resets { stream.abort() } else { stream.close() }
        forget()
    }

    /// Closes once nothing is under way.
    func drain() {
        switch machine.drainRequested() {
        case .close:
            stream.close()
            forget()
        case .none: break
        }
    }

    /// Gives up the connection with whatever is under way.
    func abort() {
        exchange?.downstreamClosed(nil)
        exchange = nil
        stream.abort()
        forget()
    }

    func streamEnded() {
        hasEnded = true
        guard exchange != nil else {
            stream.close()
            forget()
            return
        }
        endIfRequestIsCut()
    }

    /// The app ended before its request was whole, and nothing of it is left to be read.
    private func endIfRequestIsCut() {
        guard hasEnded, let exchange, exchange.takesBody, held.isEmpty else { return }
        exchange.downstreamClosed(nil)
        self.exchange = nil
        stream.abort()
        forget()
    }

    func streamDrained() {
        if let exchange {
            exchange.downstreamDrained()
        } else {
            stream.resumeReading()
            consumeHeld()
        }
    }

    func streamFailed(_ error: TransportError) {
        exchange?.downstreamClosed(nil)
        exchange = nil
        stream.close()
        forget()
    }

    func streamDeadlinePassed() {
        if let exchange {
            exchange.deadlinePassed()
        } else if held.isEmpty {
            stream.close()
            forget()
        } else {
            held = []
            beginExchange().refuse(
                ProxyError(
                    .requestHeadTimeout,
                    "The request's head was not whole after \(worker.limits.headTimeout) (headTimeout)"))
        }
    }

    /// Comes after the stream's own end, so that a drain that waits for the last connection sees what that has yet to send.
    private func forget() {
        guard isOpen else { return }
        isOpen = false
        machine.closed()
        held = []
        worker.connectionClosed(self)
    }
}
