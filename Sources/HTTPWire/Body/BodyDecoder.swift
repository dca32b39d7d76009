/// Finds the content of one message body, and its end, in the bytes of a connection.
///
/// It copies nothing: its results are ranges of the bytes that it was lent. One decoder serves one body.
@usableFromInline package struct BodyDecoder: Sendable {
    package enum Piece: Equatable, Sendable {
        /// Content, as offsets into the given bytes; never empty.
        case data(Range<Int>)
        /// The body is complete, and the next message may begin at `offset`.
        case end
        /// All given bytes are consumed.
        case needMore
    }

    @usableFromInline enum State: Sendable {
        /// The number of bytes still to come, at least one.
        case length(UInt64)
        case chunked
        case untilClose
        /// Every byte was seen, and `end` was not returned yet.
        case complete
        case ended
    }

    package private(set) var framing: BodyFraming
    @usableFromInline var state: State
    /// Used in the state `chunked` only, and beside it, because each step of every body reads the state.
    private var chunks = ChunkedDecoder()

    package init(_ framing: BodyFraming) {
        self.framing = framing
        state = Self.start(of: framing)
    }

    /// Begins another body.
    package mutating func begin(_ framing: BodyFraming) {
        self.framing = framing
        state = Self.start(of: framing)
        if case .chunked = framing { chunks = ChunkedDecoder() }
    }

    @inline(__always)
    private static func start(of framing: BodyFraming) -> State {
        switch framing {
        case .none, .length(0): .complete
        case .length(let count): .length(count)
        case .chunked: .chunked
        case .untilClose: .untilClose
        }
    }

    /// Whether every byte of the body was seen; true at once if no body follows, even before `end` was returned.
    @inlinable package var isComplete: Bool {
        switch state {
        case .complete, .ended: true
        case .length, .chunked, .untilClose: false
        }
    }

    /// Returns the next piece; call it again until it returns `end` or `needMore`, as each call moves `offset` behind
    /// its piece.
    ///
    /// It returns `end` once, and leaves the bytes after the body unread. After a throw, neither the body nor the
    /// connection can be used.
    package mutating func next(in bytes: Span<UInt8>, at offset: inout Int) throws(MessageError) -> Piece {
        precondition(0 <= offset && offset <= bytes.count, "the offset of a body lies within the bytes given")
        switch state {
        case .length(let remaining):
            guard offset < bytes.count else { return .needMore }
            let count = Int(min(remaining, UInt64(bytes.count - offset)))
            let left = remaining - UInt64(count)
            state = left == 0 ? .complete : .length(left)
            return Self.take(count, at: &offset)
        case .chunked:
            let piece = try chunks.next(in: bytes, at: &offset)
            if piece == .end { state = .ended }
            return piece
        case .untilClose:
            guard offset < bytes.count else { return .needMore }
            return Self.take(bytes.count - offset, at: &offset)
        case .complete:
            state = .ended
            return .end
        case .ended:
            return .needMore
        }
    }

    /// The peer closed its side in order.
    ///
    /// Throws `bodyCutShort` unless the body is complete or ends with the close.
    package mutating func peerClosed() throws(MessageError) {
        switch state {
        case .length, .chunked: throw .bodyCutShort
        case .untilClose: state = .complete
        case .complete, .ended: break
        }
    }

    static func take(_ count: Int, at offset: inout Int) -> Piece {
        let start = offset
        offset += count
        return .data(start..<offset)
    }
}

/// How the end of a message body is found, decided once from the head (RFC 9112 section 6.3).
///
/// A message with both Content-Length and Transfer-Encoding, or with several of either, is refused rather than
/// repaired: if two parsers disagree on it, one request can be smuggled inside another.
@usableFromInline package enum BodyFraming: Equatable, Sendable {
    /// No body follows, whatever the fields say.
    case none
    /// The body's length in bytes, at most `Int64.max`.
    case length(UInt64)
    case chunked
    /// The body ends when the peer closes; responses only.
    case untilClose

    // Where another module asks, these cost a few instructions, and a comparison would cost a call.

    @inlinable package var isNone: Bool { if case .none = self { true } else { false } }

    @inlinable package var isChunked: Bool { if case .chunked = self { true } else { false } }

    @inlinable package var isUntilClose: Bool { if case .untilClose = self { true } else { false } }
}
