/// How the end of a message body is found, decided once from the head (RFC 9112 section 6.3).
///
/// A message with both Content-Length and Transfer-Encoding, or with several of either, is refused rather than
/// repaired: two parsers that disagree here are how one request is smuggled inside another.
package enum BodyFraming: Equatable, Sendable {
    /// No body follows, whatever the fields say.
    case none
    /// So many bytes, at most `Int64.max`.
    case length(UInt64)
    case chunked
    /// All until the peer closes; responses only.
    case untilClose
}
