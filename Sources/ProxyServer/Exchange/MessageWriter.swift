import EventTransport
import HTTPWire

/// Writes one message to a connection: gathers the head and small pieces of the body into one send, and sends large
/// pieces without a copy.
struct MessageWriter: ~Copyable {
    /// The head, which the caller appends, and the bytes that are sent with it.
    var buffer = OutputBuffer()
    /// How the body is framed; set once the head is known.
    var framing = BodyFraming.none
    private(set) var sentByteCount: UInt64 = 0

    /// Up to this many bytes, a copy costs less than another element of the vector or a send of its own.
    private static let gatherLimit = 16_384
    /// A buffer that grew beyond this is freed, so that one large head does not occupy memory for ever.
    private static let keepLimit = 65_536

    mutating func reset() {
        buffer.removeAll(keepingAtMost: Self.keepLimit)
        framing = .none
        sentByteCount = 0
    }

    /// Adds a piece of the body in the message's framing.
    mutating func writeBody(_ piece: Span<UInt8>, to stream: StreamConnection) {
        if framing.isChunked {
            buffer.append(hexadecimal: piece.count)
            buffer.appendCRLF()
        }
        if buffer.count + piece.count <= Self.gatherLimit {
            buffer.append(copying: piece)
        } else {
            buffer.withSpan { _ = stream.write($0, piece) }
            sentByteCount += UInt64(buffer.count + piece.count)
            buffer.removeAll()
        }
        if framing.isChunked { buffer.appendCRLF() }
    }

    /// Ends the body; a chunked body gets its last chunk, which marks it as complete.
    mutating func endBody() {
        if framing.isChunked { buffer.append(text: "0\r\n\r\n") }
    }

    /// Sends the gathered bytes.
    ///
    /// - Returns: whether the connection has room for more.
    mutating func flush(to stream: StreamConnection) -> WriteResult {
        guard !buffer.isEmpty else { return stream.queuedByteCount == 0 ? .written : .blocked }
        let result = buffer.withSpan { stream.write($0) }
        sentByteCount += UInt64(buffer.count)
        buffer.removeAll()
        return result
    }
}
