/// The protocol version of a message; every other version is refused (RFC 9112 section 2.3).
package enum HTTPVersion: Sendable {
    case http10
    case http11
}
