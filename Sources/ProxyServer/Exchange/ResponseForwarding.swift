import EventTransport
import HTTPWire
import ProxyCore

/// The response of one exchange on its way to the app.
struct ResponseForwarding: ~Copyable {
    /// The result of one delivery of bytes.
    enum Progress {
        case incomplete
        /// The final response refuses the credential; it is held back from its head on.
        case credentialRefused
        /// The final response asks for a nonce in the proof; it is held back from its head on.
        case nonceAsked
        /// The final response may refuse the credential; its body decides, and head and body are held back until
        /// then.
        case refusalSuspected
        /// The response that was held back for its body does not refuse the credential.
        case refusalUnfounded
        case ended(DownstreamEnd)
    }

    /// What was sent to the app; the status is 0 if no response was.
    struct Outcome {
        var status: Int
        var sentByteCount: UInt64
    }

    /// Whether each connection can be used after the response.
    struct DownstreamEnd {
        var upstreamReusable: Bool
        var downstreamPersistent: Bool
    }

    private var writer = MessageWriter()
    /// Looks for the end of `partialHead`, the beginning of an incomplete head.
    private var scanner = HeadScanner()
    private var partialHead: [UInt8] = []
    /// The response that is held back, from its final head on.
    private var refusal: [UInt8] = []
    /// Decides by the body whether the response that is held back refuses the credential; nil if the head has
    /// decided.
    private var search: RefusalSearch?
    private var decoder: BodyDecoder?
    private var upstreamPersistent = false
    private var downstreamPersistent = false
    private var status = 0
    private(set) var keepAliveTimeout: Int?
    /// The nonce from the last head, for later proofs.
    private var nonce: String?
    /// The code of the challenge in the last head.
    private var challenge: [UInt8]?

    var hasBegun: Bool { decoder != nil }
    /// Whether any byte of a response has arrived.
    private(set) var hasReceived = false
    /// The status and byte count for the exchange's record.
    var outcome: Outcome { Outcome(status: status, sentByteCount: writer.sentByteCount) }
    /// Whether the app could take a close for the end of the body.
    var endsByClose: Bool { writer.framing == .untilClose }

    /// The most bytes to which a refusal that is held back may grow.
    ///
    /// Reading is paused after the first read of a refusal. More bytes arrive only from a connection that can no
    /// longer be written to, and nothing else bounds them.
    private static let refusalLimit = 65_536

    mutating func reset() {
        writer.reset()
        if !partialHead.isEmpty { partialHead = [] }
        if !refusal.isEmpty { refusal = [] }
        if search != nil { search = nil }
        decoder = nil
        hasReceived = false
        status = 0
        keepAliveTimeout = nil
        nonce = nil
        challenge = nil
    }

    /// The nonce received since the last call.
    mutating func takeNonce() -> String? { nonce.take() }

    /// The challenge's code received since the last call.
    mutating func takeChallenge() -> [UInt8]? { challenge.take() }

    /// Parses and forwards bytes from the backend.
    mutating func forward(
        _ bytes: Span<UInt8>, answering request: RequestSummary, draining: Bool, limits: HeadLimits,
        fields: FieldLines, to stream: StreamConnection
    ) throws(MessageError) -> Progress {
        hasReceived = true
        if decoder == nil, search != nil {
            refusal.append(copying: bytes)
            return searchRefusal(bytes) ?? .refusalUnfounded
        }
        if decoder == nil, !partialHead.isEmpty {
            partialHead.append(copying: bytes)
            var scanner = scanner
            let isWhole = scanner.scan(partialHead.span)
            self.scanner = scanner
            guard isWhole else { return .incomplete }
            var held: [UInt8] = []
            swap(&held, &partialHead)
            return try forwardHeads(held.span, request, draining, limits, fields, stream)
        }
        if decoder == nil { return try forwardHeads(bytes, request, draining, limits, fields, stream) }
        var offset = 0
        return try forwardBody(bytes, at: &offset, stream) ?? .incomplete
    }

    /// Adds bytes to the response that is held back.
    ///
    /// - Returns: false if they exceed the limit, so that the response can never be complete.
    mutating func keepRefusal(_ bytes: Span<UInt8>) -> Bool {
        guard refusal.count + bytes.count <= Self.refusalLimit else { return false }
        refusal.append(copying: bytes)
        return true
    }

    /// Hands over the response that was held back, to be forwarded.
    mutating func takeRefusal() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &refusal)
        search = nil
        return taken
    }

    /// Discards the response that was held back, because the request is sent again.
    mutating func forgetRefusal() {
        refusal = []
        search = nil
        hasReceived = false
    }

    /// Sends the gathered bytes.
    mutating func flush(to stream: StreamConnection) -> WriteResult { writer.flush(to: stream) }

    /// The backend closed its side.
    ///
    /// - Returns: the end of the response, if the close ends it.
    mutating func upstreamEnded(to stream: StreamConnection) throws(MessageError) -> DownstreamEnd {
        guard decoder != nil else { throw .bodyCutShort }
        try decoder?.peerClosed()
        writer.endBody()
        return DownstreamEnd(upstreamReusable: false, downstreamPersistent: downstreamPersistent)
    }

    private mutating func forwardHeads(
        _ bytes: Span<UInt8>, _ request: RequestSummary, _ draining: Bool, _ limits: HeadLimits,
        _ fields: FieldLines, _ stream: StreamConnection
    ) throws(MessageError) -> Progress {
        var offset = 0
        while true {
            let rest = bytes.extracting(offset...)
            guard let head = try ResponseHead.parse(rest, answering: request.method, limits: limits, fields: fields)
            else {
                partialHead.append(copying: rest)
                scanner = HeadScanner(limits: limits)
                return .incomplete
            }
            if (400..<500).contains(head.status) { challenge = TokenChallenge.code(of: head, in: rest) }
            if let reason = reasonToHold(head, in: rest, request) {
                refusal.append(copying: rest)
                return reason
            }
            offset += head.byteCount
            guard head.status < 200 else {
                begin(head, in: rest, request, draining)
                return try forwardBody(bytes, at: &offset, stream) ?? .incomplete
            }
            // No client asked for an upgrade: Attaché never forwards the field that asks for one.
            if head.status == 101 { throw .unexpectedUpgrade }
            if request.version == .http11 {
                DownstreamResponseHead.appendInterim(head, in: rest, to: &writer.buffer)
            }
            if offset == bytes.count { return .incomplete }
        }
    }

    /// Why a head is held back; nil if it is not.
    private mutating func reasonToHold(
        _ head: borrowing ResponseHead, in bytes: Span<UInt8>, _ request: RequestSummary
    ) -> Progress? {
        if request.takesNonce, let nonce = TokenChallenge.nonce(head, in: bytes) {
            self.nonce = nonce
            // The backend refuses the proof then, not the token.
            if TokenChallenge.asksForNonce(head, in: bytes) { return request.repeatsForNonce ? .nonceAsked : nil }
        }
        switch TokenChallenge.verdict(of: head, in: bytes, by: request.refreshOn) {
        case .accepted: return nil
        case .refused: return .credentialRefused
        case .dependsOnBody(let texts):
            search = RefusalSearch(for: texts, framing: head.framing)
            return searchRefusal(bytes.extracting(head.byteCount...))
        }
    }

    /// Searches more of a body that decides whether the response is held back; nil if it is not.
    private mutating func searchRefusal(_ body: Span<UInt8>) -> Progress? {
        switch search?.look(at: body) {
        case .undecided: return .refusalSuspected
        case .found:
            search = nil
            return .credentialRefused
        case .absent, nil:
            search = nil
            return nil
        }
    }

    private mutating func begin(
        _ head: borrowing ResponseHead, in bytes: Span<UInt8>, _ request: RequestSummary, _ draining: Bool
    ) {
        let written = DownstreamResponseHead(
            head, in: bytes,
            answering: .init(
                version: request.version, isPersistent: request.isPersistent, isComplete: request.isComplete),
            draining: draining, to: &writer.buffer)
        writer.framing = written.framing
        status = head.status
        keepAliveTimeout = head.keepAliveTimeout
        upstreamPersistent =
            head.isPersistent && !request.authenticatesConnection
            && !ConnectionAuthentication.isOffered(head, in: bytes)
        downstreamPersistent = written.isPersistent
        decoder = BodyDecoder(head.framing)
    }

    private mutating func forwardBody(
        _ bytes: Span<UInt8>, at offset: inout Int, _ stream: StreamConnection
    ) throws(MessageError) -> Progress? {
        guard var decoder else { return nil }
        defer { self.decoder = decoder }
        while !decoder.isComplete {
            switch try decoder.next(in: bytes, at: &offset) {
            case .data(let range): writer.writeBody(bytes.extracting(range), to: stream)
            case .end: writer.endBody()
            case .needMore: return nil
            }
        }
        // Bytes after the response belong to no request (RFC 9112 section 9.2), so the connection is not used again.
        let isClean = offset == bytes.count
        return .ended(
            DownstreamEnd(
                upstreamReusable: upstreamPersistent && isClean, downstreamPersistent: downstreamPersistent))
    }
}
