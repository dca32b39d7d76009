import EventTransport
import HTTPWire
import ProxyCore

/// The request of one exchange on its way to the backend, over one connection or, if it is sent again, over several.
struct RequestForwarding: ~Copyable {
    private(set) var head = UpstreamRequestHead()
    private var writer = MessageWriter()
    private var decoder = BodyDecoder(.none)
    private var body = RepeatableBody()
    private var isIdempotent = false
    private(set) var receivedBodyByteCount: UInt64 = 0

    /// Whether the whole body has been read from the app.
    var isComplete: Bool { decoder.isComplete }

    /// Whether sending the request again cannot repeat its effect: it is idempotent, or no byte of its body has been
    /// sent (RFC 9110 section 9.2.2).
    ///
    /// A chunked body without content is complete once its last chunk was sent, and the backend may have acted on it.
    var isReplayable: Bool {
        body.isWhole && (isIdempotent || (!isComplete && receivedBodyByteCount == 0))
    }

    /// Whether the whole request is still available, to be sent with another credential.
    var isRepeatable: Bool { isComplete && body.isWhole }

    mutating func reset() {
        writer.reset()
        body.reset()
        decoder.begin(.none)
        receivedBodyByteCount = 0
    }

    /// Begins to read a request's body, which may have to be read even if no backend gets it.
    mutating func begin(_ head: borrowing RequestHead) {
        writer.framing = head.framing
        decoder.begin(head.framing)
        isIdempotent = head.method.isIdempotent
    }

    /// Rewrites the head for its backend and keeps it.
    mutating func setHead(_ head: borrowing RequestHead, in bytes: Span<UInt8>, rules: UpstreamRequestHead.Rules) {
        var last = UpstreamRequestHead()
        swap(&last, &self.head)
        self.head = UpstreamRequestHead(head, in: bytes, rules: rules, into: last.takeBuffer())
    }

    /// Keeps a body of up to `limit` bytes if the request may be sent again.
    ///
    /// An idempotent request is sent again if its connection breaks, any other request only if it `mayBeRefused`.
    mutating func keepBody(upTo limit: Int, mayBeRefused: Bool) {
        body.limit = mayBeRefused || isIdempotent ? limit : 0
    }

    /// Prepares the head for the connection, followed by the part of the body that was received before.
    ///
    /// - Parameters:
    ///   - stream: The connection.
    ///   - slot: The token to attach this time; nil if the request gets none.
    ///   - proof: The proof of possession for a token that is bound to a key.
    mutating func start(on stream: StreamConnection, with slot: CredentialTable.Slot?, proof: String?) {
        writer.buffer.removeAll()
        if let slot {
            slot.finish(head, proof: proof, to: &writer.buffer)
        } else {
            head.appendWithoutCredential(to: &writer.buffer)
        }
        startBody(on: stream)
    }

    /// As `start(on:with:proof:)`, with the lines that tell the backend of the trace.
    mutating func start(
        on stream: StreamConnection, traced lines: [UInt8], with slot: CredentialTable.Slot?, proof: String?
    ) {
        writer.buffer.removeAll()
        head.append(traced: lines, with: slot?.line, proof: proof, to: &writer.buffer)
        startBody(on: stream)
    }

    @inline(__always)
    private mutating func startBody(on stream: StreamConnection) {
        guard receivedBodyByteCount > 0 || isComplete else { return }
        body.write(with: &writer, to: stream)
        if isComplete { writer.endBody() }
    }

    /// Forwards the part of the body in `bytes` from `offset` on, and moves `offset` behind it.
    mutating func forwardBody(
        _ bytes: Span<UInt8>, at offset: inout Int, to stream: StreamConnection
    ) throws(MessageError) {
        while !decoder.isComplete {
            switch try decoder.next(in: bytes, at: &offset) {
            case .data(let range):
                receivedBodyByteCount += UInt64(range.count)
                let piece = bytes.extracting(range)
                body.append(piece)
                writer.writeBody(piece, to: stream)
            case .end: writer.endBody()
            case .needMore: return
            }
        }
    }

    mutating func flush(to stream: StreamConnection) -> WriteResult { writer.flush(to: stream) }
}

/// The body of a request so far, without its framing, kept while the request may have to be sent again.
struct RepeatableBody: ~Copyable {
    private var bytes = OutputBuffer()
    /// The maximum length in bytes; of a longer body nothing is kept.
    var limit = 0
    /// Whether every byte received so far is kept.
    private(set) var isWhole = true

    /// A buffer that grew beyond this is freed, so that one large body does not occupy memory for ever.
    private static let keepLimit = 65_536

    mutating func reset() {
        bytes.removeAll(keepingAtMost: Self.keepLimit)
        limit = 0
        isWhole = true
    }

    mutating func append(_ piece: Span<UInt8>) {
        guard isWhole else { return }
        guard bytes.count + piece.count <= limit else {
            isWhole = false
            bytes.removeAll(keepingAtMost: Self.keepLimit)
            return
        }
        bytes.append(copying: piece)
    }

    /// Writes the kept bytes again; they must be whole.
    func write(with writer: inout MessageWriter, to stream: StreamConnection) {
        precondition(isWhole, "a body is sent again although a part of it was not kept")
        if !bytes.isEmpty { bytes.withSpan { writer.writeBody($0, to: stream) } }
    }
}
