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
