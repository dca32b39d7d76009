/// Finds the content of one message body in the bytes of a connection, and its end.
///
/// It copies nothing: it answers with ranges of the bytes it was lent. One decoder serves one body.
@usableFromInline package struct BodyDecoder: Sendable {
    package enum Piece: Equatable, Sendable {
        /// Content, as offsets into the bytes given; never empty.
        case data(Range<Int>)
        /// The body is complete, and `offset` is where the next message may begin.
        case end
        /// All bytes given are consumed.
        case needMore
    }

    @usableFromInline enum State: Sendable {
        /// So many bytes are still to come, at least one.
        case length(UInt64)
        case chunked(ChunkedDecoder)
        case untilClose
        /// Every byte was seen, and `end` was not yet given.
        case complete
        case ended
    }

    package let framing: BodyFraming
    @usableFromInline var state: State

    package init(_ framing: BodyFraming) {
        self.framing = framing
        state =
            switch framing {
            case .none, .length(0): .complete
            case .length(let count): .length(count)
            case .chunked: .chunked(ChunkedDecoder())
            case .untilClose: .untilClose
            }
    }

    /// Whether every byte of the body was seen; true at once where none follows, before `end` was given.
    @inlinable package var isComplete: Bool {
        switch state {
        case .complete, .ended: true
        case .length, .chunked, .untilClose: false
        }
    }

    /// Call again until it answers `end` or `needMore`: each call advances `offset` past what it consumed.
    ///
    /// `end` is given once; bytes after the body stay unread. After a throw the body is lost, and so is the connection.
    package mutating func next(in bytes: Span<UInt8>, at offset: inout Int) throws(MessageError) -> Piece {
        precondition(0 <= offset && offset <= bytes.count, "the offset of a body lies within the bytes given")
        switch state {
        case .length(let remaining):
            guard offset < bytes.count else { return .needMore }
            let count = Int(min(remaining, UInt64(bytes.count - offset)))
            let left = remaining - UInt64(count)
            state = left == 0 ? .complete : .length(left)
            return Self.take(count, at: &offset)
        case .chunked(var decoder):
            let piece = try decoder.next(in: bytes, at: &offset)
            state = piece == .end ? .ended : .chunked(decoder)
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
    /// Throws `bodyCutShort` unless the body is complete or ends just so.
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
