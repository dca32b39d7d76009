import EventTransport
import HTTPWire
import ProxyCore

/// The request of one exchange on its way to the backend, over one connection or, where it must be sent again, several.
struct RequestForwarding: ~Copyable {
    private(set) var head = UpstreamRequestHead()
    private var writer = MessageWriter()
    private var decoder = BodyDecoder(.none)
    private var body = RepeatableBody()
    private var isIdempotent = false
    private(set) var receivedBodyByteCount: UInt64 = 0

    /// Whether the whole body has been read from the app.
    var isComplete: Bool { decoder.isComplete }

    /// Whether everything that left can be sent again without doing it twice: an idempotent request, or one of whose
    /// body no byte has left (RFC 9110 section 9.2.2).
    ///
    /// A chunked body without content has left whole with its last chunk, and the backend may have acted on it.
    var isReplayable: Bool {
        body.isWhole && (isIdempotent || (!isComplete && receivedBodyByteCount == 0))
    }

    /// Whether the whole request is still there, to be sent with another credential.
    var isRepeatable: Bool { isComplete && body.isWhole }

    mutating func reset() {
        writer.reset()
        body.reset()
        decoder = BodyDecoder(.none)
        receivedBodyByteCount = 0
    }

    /// Takes up the framing of a request, whose body may have to be read even if it goes nowhere.
    mutating func begin(_ head: borrowing RequestHead) {
        writer.framing = head.framing
        decoder = BodyDecoder(head.framing)
        isIdempotent = head.method.isIdempotent
    }

    /// Takes the head for its backend.
    mutating func setHead(_ head: borrowing RequestHead, in bytes: Span<UInt8>, rules: UpstreamRequestHead.Rules) {
        var last = UpstreamRequestHead()
        swap(&last, &self.head)
        self.head = UpstreamRequestHead(head, in: bytes, rules: rules, into: last.takeBuffer())
    }

    /// Keeps a body of up to `limit` bytes, where the request may be sent again.
    ///
    /// That is so for an idempotent request, whose connection may be lost, and for one that `mayBeRefused`.
    mutating func keepBody(upTo limit: Int, mayBeRefused: Bool) {
        body.limit = mayBeRefused || isIdempotent ? limit : 0
    }

    /// Writes the head for a connection that has been taken, and behind it what came of the body over an earlier one.
    ///
    /// - Parameters:
    ///   - stream: The connection.
    ///   - slot: The token that is attached this time; nil where the request gets none.
    ///   - proof: What the token needs beside it, if it is bound to a key.
    mutating func start(on stream: StreamConnection, with slot: CredentialTable.Slot?, proof: String?) {
        writer.buffer.removeAll()
        if let slot {
            head.append(with: slot.line, proof: proof, to: &writer.buffer)
        } else {
            head.appendWithoutCredential(to: &writer.buffer)
        }
        guard receivedBodyByteCount > 0 || isComplete else { return }
        body.write(with: &writer, to: stream)
        if isComplete { writer.endBody() }
    }

    /// Forwards what `bytes` hold of the body, from `offset` on, which is moved behind it.
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
