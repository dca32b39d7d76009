import EventTransport
import HTTPWire

/// Writes one message to a connection: small pieces are gathered with the head into one send, large ones go as they are.
struct MessageWriter: ~Copyable {
    /// The head, which is appended here, and what leaves with it.
    var buffer = OutputBuffer()
    /// How the body is framed; set when the head is known.
    var framing = BodyFraming.none
    /// What has left, as long as it is kept: always the first send, as the head is in it, and more within `repeatLimit`.
    private var sent = OutputBuffer()
    private(set) var hasSent = false
    /// Whether more has left than `sent` could repeat.
    private(set) var hasSentMore = false
    /// A message can be sent again while all of it that has left is not longer than this, in bytes.
    var repeatLimit = 0
    private(set) var sentByteCount: UInt64 = 0

    /// Up to this many bytes, copying is cheaper than another element of the vector, and than a send of its own.
    private static let gatherLimit = 16_384
    /// A buffer that grew beyond this is given back, so that one large head does not stay for ever.
    private static let keepLimit = 65_536

    mutating func reset() {
        buffer.removeAll(keepingAtMost: Self.keepLimit)
        sent.removeAll(keepingAtMost: Self.keepLimit)
        repeatLimit = 0
        framing = .none
        hasSent = false
        hasSentMore = false
        sentByteCount = 0
    }

    /// Adds a piece of the body in the message's framing.
    mutating func writeBody(_ piece: Span<UInt8>, to stream: StreamConnection) {
        if framing == .chunked {
            buffer.append(hexadecimal: piece.count)
            buffer.appendCRLF()
        }
        if buffer.count + piece.count <= Self.gatherLimit {
            buffer.append(copying: piece)
        } else {
            buffer.withSpan { _ = stream.write($0, piece) }
            sentByteCount += UInt64(buffer.count + piece.count)
            noteSent()
            if keeps(piece.count) { sent.append(copying: piece) }
        }
        if framing == .chunked { buffer.appendCRLF() }
    }

    /// Ends the body; a chunked one gets its last chunk, which says that it is whole.
    mutating func endBody() {
        if framing == .chunked { buffer.append(text: "0\r\n\r\n") }
    }

    /// Sends what has been gathered.
    ///
    /// - Returns: whether the connection has room for more.
    mutating func flush(to stream: StreamConnection) -> WriteResult {
        guard !buffer.isEmpty else { return stream.queuedByteCount == 0 ? .written : .blocked }
        let result = buffer.withSpan { stream.write($0) }
        sentByteCount += UInt64(buffer.count)
        noteSent()
        return result
    }

    /// Makes what was sent pending again, for another connection.
    mutating func rewind() {
        precondition(!hasSentMore && buffer.isEmpty, "a message was rewound of which more has left than was kept")
        swap(&buffer, &sent)
        hasSent = false
    }

    /// Lends what was sent.
    func withSent<Result>(_ body: (Span<UInt8>) -> Result) -> Result { sent.withSpan(body) }

    private mutating func noteSent() {
        if !hasSent {
            swap(&buffer, &sent)
            hasSent = true
            hasSentMore = sent.count > repeatLimit
        } else if keeps(buffer.count) {
            sent.append(copying: buffer)
        }
        buffer.removeAll()
    }

    /// Whether so many bytes more are kept of what has left.
    private mutating func keeps(_ count: Int) -> Bool {
        if sent.count + count > repeatLimit { hasSentMore = true }
        return !hasSentMore
    }
}
