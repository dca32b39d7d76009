import EventTransport
import HTTPWire

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
