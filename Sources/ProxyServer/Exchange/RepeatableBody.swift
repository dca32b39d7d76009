import EventTransport
import HTTPWire

/// What has come of a request's body, kept without its framing as long as it may have to be sent again.
struct RepeatableBody: ~Copyable {
    private var bytes = OutputBuffer()
    /// Nothing is kept of a longer body, in bytes.
    var limit = 0
    /// Whether all that has come is kept.
    private(set) var isWhole = true

    /// A buffer that grew beyond this is given back, so that one large body does not stay for ever.
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

    /// Writes all that has come once more, which must be whole.
    func write(with writer: inout MessageWriter, to stream: StreamConnection) {
        precondition(isWhole, "a body is sent again of which more has come than was kept")
        if !bytes.isEmpty { bytes.withSpan { writer.writeBody($0, to: stream) } }
    }
}
