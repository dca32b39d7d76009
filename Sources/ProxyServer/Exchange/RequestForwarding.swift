import EventTransport
import HTTPWire
import ProxyCore

/// The request of one exchange on its way to the backend.
struct RequestForwarding: ~Copyable {
    private var writer = MessageWriter()
    private var decoder = BodyDecoder(.none)
    private var isIdempotent = false
    private(set) var receivedBodyByteCount: UInt64 = 0
    /// Where the credential's line stands in the head; empty where none was attached.
    private var credentialLine = ByteRange(0, 0)

    /// Whether the whole body has been read from the app.
    var isComplete: Bool { decoder.isComplete }

    /// Whether everything that left can be sent again without doing it twice: an idempotent request, or one of whose
    /// body no byte has left (RFC 9110 section 9.2.2).
    ///
    /// A chunked body without content has left whole with its last chunk, and the backend may have acted on it.
    var isReplayable: Bool {
        !writer.hasSentMore && (isIdempotent || (!isComplete && receivedBodyByteCount == 0))
    }

    /// Whether the whole request is still there, to be sent with another credential.
    var isRepeatable: Bool { isComplete && !writer.hasSentMore }

    mutating func reset() {
        writer.reset()
        credentialLine = ByteRange(0, 0)
        decoder = BodyDecoder(.none)
        receivedBodyByteCount = 0
    }

    /// Takes up a request whose head is about to be written.
    mutating func begin(_ head: borrowing RequestHead) {
        writer.framing = head.framing
        decoder = BodyDecoder(head.framing)
        isIdempotent = head.method.isIdempotent
    }

    /// Lends the buffer of the head to be filled.
    mutating func takeBuffer() -> OutputBuffer {
        var buffer = OutputBuffer()
        swap(&buffer, &writer.buffer)
        return buffer
    }

    /// Takes the head that the next flush sends; a body of up to `replayLimit` bytes is kept where it may be sent again.
    ///
    /// That is so for an idempotent request, whose connection may be lost, and for one that `mayBeRefused`.
    mutating func setHead(_ head: consuming UpstreamRequestHead, keeping replayLimit: Int, mayBeRefused: Bool) {
        let start = head.credentialStart
        writer.buffer = head.takeBytes()
        writer.repeatLimit = writer.buffer.count + (mayBeRefused || isIdempotent ? replayLimit : 0)
        if let start { credentialLine = ByteRange(start, writer.buffer.count) }
    }

    /// The attached line as it was sent.
    var sentCredential: [UInt8] {
        writer.withSent { sent in
            var line: [UInt8] = []
            line.append(copying: sent, credentialLine)
            return line
        }
    }

    /// Lends what the next flush sends.
    func withPending<Result>(_ body: (Span<UInt8>) -> Result) -> Result { writer.buffer.withSpan(body) }

    /// Whether the credential that is pending is this one, with or without a proof behind it.
    func hasPending(_ credential: AuthorizationLine) -> Bool {
        writer.buffer.withSpan { bytes in
            var line: [UInt8] = []
            line.append(copying: bytes, credentialLine)
            return line.starts(with: credential.bytes.dropLast(2))
        }
    }

    /// Puts another credential in the place of the one that is pending.
    mutating func replaceCredential(with credential: AuthorizationLine) {
        var old = OutputBuffer()
        swap(&old, &writer.buffer)
        old.withSpan { bytes in
            writer.buffer.append(copying: bytes, ByteRange(0, credentialLine.lowerBound))
            writer.buffer.append(copying: credential.bytes.span)
            writer.buffer.append(copying: bytes, ByteRange(credentialLine.upperBound, bytes.count))
        }
        // As much of the body is kept behind a longer line.
        writer.repeatLimit += writer.buffer.count - old.count
        credentialLine = ByteRange(credentialLine.lowerBound, credentialLine.lowerBound + credential.bytes.count)
    }

    /// Forwards what `bytes` hold of the body, from `offset` on, which is moved behind it.
    mutating func forwardBody(
        _ bytes: Span<UInt8>, at offset: inout Int, to stream: StreamConnection
    ) throws(MessageError) {
        while !decoder.isComplete {
            switch try decoder.next(in: bytes, at: &offset) {
            case .data(let range):
                receivedBodyByteCount += UInt64(range.count)
                writer.writeBody(bytes.extracting(range), to: stream)
            case .end: writer.endBody()
            case .needMore: return
            }
        }
    }

    mutating func flush(to stream: StreamConnection) -> WriteResult { writer.flush(to: stream) }

    mutating func rewind() { writer.rewind() }
}
