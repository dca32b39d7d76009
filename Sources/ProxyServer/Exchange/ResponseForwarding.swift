import EventTransport
import HTTPWire
import ProxyCore

/// The response of one exchange on its way to the app.
struct ResponseForwarding: ~Copyable {
    /// What one delivery of bytes has come to.
    enum Progress {
        case incomplete
        /// The final response refuses the credential; it is held back, with what came behind its head.
        case credentialRefused
        /// The final head wants a nonce in the proof; it is held back, with what came behind it.
        case nonceAsked
        /// The final head may refuse the credential, which its body decides; both are held back.
        case refusalSuspected
        /// The response that was held back for its body does not refuse the credential.
        case refusalUnfounded
        case ended(DownstreamEnd)
    }

    /// What the app has been sent: the status is 0 where there was none.
    struct Outcome {
        var status: Int
        var sentByteCount: UInt64
    }

    /// How both connections stand after the response.
    struct DownstreamEnd {
        var upstreamReusable: Bool
        var downstreamPersistent: Bool
    }

    private var writer = MessageWriter()
    /// The beginning of a head that has not come whole, and what looks for its end.
    private var scanner = HeadScanner()
    private var partialHead: [UInt8] = []
    /// The response that is held back, from its final head on.
    private var refusal: [UInt8] = []
    /// Decides whether the response that is held back refuses the credential; nil where its head has decided.
    private var search: RefusalSearch?
    private var decoder: BodyDecoder?
    private var upstreamPersistent = false
    private var downstreamPersistent = false
    private var status = 0
    private(set) var keepAliveTimeout: Int?
    /// What the last head brought for the proofs to come.
    private var nonce: String?
    /// The code of the last head's challenge.
    private var challenge: [UInt8]?

    var hasBegun: Bool { decoder != nil }
    /// Whether any byte of a response has come.
    private(set) var hasReceived = false
    /// For the record.
    var outcome: Outcome { Outcome(status: status, sentByteCount: writer.sentByteCount) }
    /// Whether closing the connection could be taken for the end of the body.
    var endsByClose: Bool { writer.framing == .untilClose }

    /// With more than this, nothing is put to a refusal: what comes behind the first read comes from a connection that
    /// cannot be written to any more, and nothing else bounds it.
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

    /// The nonce that has come since this was called last.
    mutating func takeNonce() -> String? { nonce.take() }

    /// The code of the challenge that has come since this was called last.
    mutating func takeChallenge() -> [UInt8]? { challenge.take() }

    /// Reads and forwards what the backend sent.
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

    /// Puts more to the response that is held back.
    ///
    /// - Returns: false where it would be too much, so that what is held back can never be whole.
    mutating func keepRefusal(_ bytes: Span<UInt8>) -> Bool {
        guard refusal.count + bytes.count <= Self.refusalLimit else { return false }
        refusal.append(copying: bytes)
        return true
    }

    /// The response that was held back, to be forwarded; it is held no more.
    mutating func takeRefusal() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &refusal)
        search = nil
        return taken
    }

    /// Forgets the response that was held back, as the request is sent again.
    mutating func forgetRefusal() {
        refusal = []
        search = nil
        hasReceived = false
    }

    /// Sends what has been gathered.
    mutating func flush(to stream: StreamConnection) -> WriteResult { writer.flush(to: stream) }

    /// The backend closed its side.
    ///
    /// - Returns: the end of the response, where closing was its end.
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
            // Nobody asked for an upgrade: the field that asks is never forwarded.
            if head.status == 101 { throw .unexpectedUpgrade }
            if request.version == .http11 {
                DownstreamResponseHead.appendInterim(head, in: rest, to: &writer.buffer)
            }
            if offset == bytes.count { return .incomplete }
        }
    }

    /// Why a head is held back, if it is.
    private mutating func reasonToHold(
        _ head: borrowing ResponseHead, in bytes: Span<UInt8>, _ request: RequestSummary
    ) -> Progress? {
        if request.takesNonce, let nonce = TokenChallenge.nonce(head, in: bytes) {
            self.nonce = nonce
            // The token is not what is refused then.
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

    /// Looks at more of a body that decides whether the response is held back; nil where it is not.
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
        // Bytes behind the response belong to no request (RFC 9112 section 9.2): the connection is not used again.
        let isClean = offset == bytes.count
        return .ended(
            DownstreamEnd(
                upstreamReusable: upstreamPersistent && isClean, downstreamPersistent: downstreamPersistent))
    }
}
