import EventTransport
import HTTPWire
import ProxyCore

/// The response of one exchange on its way to the app.
struct ResponseForwarding: ~Copyable {
    /// What was sent to the app; the status is 0 if no response was.
    struct Outcome {
        var status: Int
        var sentByteCount: UInt64
    }

    private var writer = MessageWriter()
    private var reading = ResponseReading.nothing
    private var decoder = BodyDecoder(.none)
    /// The nonce from the last head, for later proofs.
    private var nonce: String?
    /// The code of the challenge in the last head.
    private var challenge: [UInt8]?
    /// The mapping of the last request that needed one.
    private var mapping: URLMapping?
    /// What the backend has sent behind a 101; taken at once.
    private var behindSwitch: [UInt8] = []

    /// Whether the final response is on its way to the app.
    var hasBegun: Bool { reading.status != nil }
    /// Whether any byte of a response has arrived.
    var hasReceived: Bool { reading.hasReceived }
    /// The status of the final response, also of one that is held back; nil before its head.
    var arrivedStatus: Int? { reading.status ?? reading.heldStatus }
    /// The status and byte count for the exchange's record.
    var outcome: Outcome { Outcome(status: reading.status ?? 0, sentByteCount: writer.sentByteCount) }
    /// Whether the app could take a close for the end of the body.
    var endsByClose: Bool { writer.framing.isUntilClose }

    mutating func reset() {
        writer.reset()
        reading.reset()
        if nonce != nil { nonce = nil }
        if challenge != nil { challenge = nil }
        if !behindSwitch.isEmpty { behindSwitch = [] }
    }

    /// The nonce received since the last call.
    mutating func takeNonce() -> String? { nonce.take() }

    /// Whether a challenge was received since the last call of `takeChallenge`.
    var hasChallenge: Bool { challenge != nil }

    /// The challenge's code received since the last call.
    mutating func takeChallenge() -> [UInt8]? { challenge.take() }

    /// Notes the upstream's URLs, and the one by which the app reached them, for the response to this request.
    @inline(never)
    mutating func mapURLs(_ urls: UpstreamURLs, answering head: borrowing RequestHead, in bytes: Span<UInt8>) {
        let mapping = mapping ?? URLMapping(urls)
        mapping.begin(urls, for: head, in: bytes)
        self.mapping = mapping
    }

    /// The bytes behind the 101 that `forward` has just reported.
    mutating func takeBehindSwitch() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &behindSwitch)
        return taken
    }

    /// Parses and forwards bytes from the backend.
    mutating func forward(
        _ bytes: Span<UInt8>, answering request: RequestSummary, draining: Bool, limits: HeadLimits,
        fields: FieldLines, to stream: StreamConnection
    ) throws(MessageError) -> ResponseProgress {
        switch reading.received(bytes) {
        case .readHeads: return try forwardHeads(bytes, request, draining, limits, fields, stream)
        case .readKept(let kept): return try forwardHeads(kept.span, request, draining, limits, fields, stream)
        case .readBody:
            var offset = 0
            return try forwardBody(bytes, at: &offset, stream)
        case .report(let progress): return progress
        }
    }

    /// Adds bytes to the response that is held back.
    ///
    /// - Returns: false if they exceed the limit, so that the response can never be complete.
    mutating func keepRefusal(_ bytes: Span<UInt8>) -> Bool { reading.keep(bytes) }

    /// Hands over the response that was held back, to be forwarded.
    mutating func takeRefusal() -> [UInt8] { reading.take() }

    /// Discards the response that was held back, because the request is sent again.
    mutating func forgetRefusal() { reading.forget() }

    /// Sends the gathered bytes.
    mutating func flush(to stream: StreamConnection) -> WriteResult { writer.flush(to: stream) }

    /// The backend closed its side.
    ///
    /// - Returns: the end of the response, if the close ends it.
    mutating func upstreamEnded() throws(MessageError) -> ConnectionReuse {
        let end = try reading.backendClosed(in: &decoder)
        writer.endBody()
        return end
    }

    private mutating func forwardHeads(
        _ bytes: Span<UInt8>, _ request: RequestSummary, _ draining: Bool, _ limits: HeadLimits,
        _ fields: FieldLines, _ stream: StreamConnection
    ) throws(MessageError) -> ResponseProgress {
        var offset = 0
        while true {
            let rest = bytes.extracting(offset...)
            guard let head = try ResponseHead.parse(rest, answering: request.method, limits: limits, fields: fields)
            else {
                reading.headBegan(rest, limits: limits)
                return .incomplete
            }
            if (400..<500).contains(head.status) {
                if head.status == 407, request.asksParent { return .parentRefused }
                challenge = TokenChallenge.code(of: head, in: rest)
            }
            if let reason = holdBack(head, in: rest, request) { return reason }
            offset += head.byteCount
            guard head.status < 200 else {
                begin(head, in: rest, request, draining)
                return try forwardBody(bytes, at: &offset, stream)
            }
            if head.status == 101 {
                guard request.asksForWebSocket, DownstreamResponseHead.switchesToWebSocket(head, in: rest) else {
                    throw .unexpectedUpgrade
                }
                DownstreamResponseHead.appendSwitch(
                    head, in: rest, mapping: request.mapsURLs ? mapping : nil, to: &writer.buffer)
                behindSwitch.append(copying: bytes.extracting(offset...))
                return .switched
            }
            if request.version == .http11 {
                DownstreamResponseHead.appendInterim(head, in: rest, to: &writer.buffer)
            }
            if offset == bytes.count { return .incomplete }
        }
    }

    /// Holds back a response that refuses the credential or may refuse it.
    ///
    /// - Returns: Why it is held back; nil if it is not.
    @inline(__always)
    private mutating func holdBack(
        _ head: borrowing ResponseHead, in bytes: Span<UInt8>, _ request: RequestSummary
    ) -> ResponseProgress? {
        if request.nonceUse != .ignored, let nonce = TokenChallenge.nonce(head, in: bytes) {
            self.nonce = nonce
            // The backend refuses the proof then, not the token.
            if TokenChallenge.asksForNonce(head, in: bytes) {
                guard request.nonceUse == .repeated else { return nil }
                reading.wasHeldBack(bytes, until: nil)
                return .nonceAsked
            }
        }
        // Every rule is for other responses.
        if head.status < 300 { return nil }
        switch TokenChallenge.verdict(of: head, in: bytes, by: request.refreshOn) {
        case .accepted: return nil
        case .refused:
            reading.wasHeldBack(bytes, until: nil)
            return .credentialRefused
        case .dependsOnBody(let texts):
            var search = RefusalSearch(for: texts, framing: head.framing)
            switch search.look(at: bytes.extracting(head.byteCount...)) {
            case .undecided:
                reading.wasHeldBack(bytes, until: search)
                return .refusalSuspected
            case .found:
                reading.wasHeldBack(bytes, until: nil)
                return .credentialRefused
            case .absent: return nil
            }
        }
    }

    private mutating func begin(
        _ head: borrowing ResponseHead, in bytes: Span<UInt8>, _ request: RequestSummary, _ draining: Bool
    ) {
        let answered = DownstreamResponseHead.Request(
            version: request.version, isPersistent: request.isPersistent, isComplete: request.isComplete)
        // Two calls, because a mapping in a variable would be retained and released for each response.
        let written =
            if request.mapsURLs {
                DownstreamResponseHead(
                    head, in: bytes, answering: answered, draining: draining, mapping: mapping, to: &writer.buffer)
            } else {
                DownstreamResponseHead(head, in: bytes, answering: answered, draining: draining, to: &writer.buffer)
            }
        writer.framing = written.framing
        let isReusable =
            head.isPersistent && !request.authenticatesConnection
            && !ConnectionAuthentication.isOffered(head, in: bytes)
        decoder.begin(head.framing)
        reading.bodyBegan(
            .init(
                status: head.status,
                end: ConnectionReuse(
                    upstreamReusable: isReusable, downstreamPersistent: written.isPersistent,
                    keepAliveTimeout: head.keepAliveTimeout)))
    }

    private mutating func forwardBody(
        _ bytes: Span<UInt8>, at offset: inout Int, _ stream: StreamConnection
    ) throws(MessageError) -> ResponseProgress {
        while true {
            switch try reading.nextPiece(in: bytes, at: &offset, by: &decoder) {
            case .write(let range): writer.writeBody(bytes.extracting(range), to: stream)
            case .writeLast(let range, let end):
                writer.writeBody(bytes.extracting(range), to: stream)
                return ended(end, before: bytes.count - offset)
            case .writeEnd(let end):
                writer.endBody()
                return ended(end, before: bytes.count - offset)
            case .end(let end): return ended(end, before: bytes.count - offset)
            case .awaitMore: return .incomplete
            }
        }
    }

    /// Bytes behind the response belong to no request (RFC 9112 section 9.2): the connection is not used again.
    private func ended(_ end: ConnectionReuse, before rest: Int) -> ResponseProgress {
        var end = end
        if rest > 0 { end.upstreamReusable = false }
        return .ended(end)
    }
}
