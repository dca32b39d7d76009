/// The options in the Connection fields of a head (RFC 9110 section 7.6.1).
package struct ConnectionOptions: OptionSet, Sendable, BitwiseCopyable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let close = Self(rawValue: 1)
    package static let keepAlive = Self(rawValue: 2)
    package static let upgrade = Self(rawValue: 4)
    /// At least one option is not a hop-by-hop field that is dropped anyway, so it may name another field to drop.
    package static let namesFields = Self(rawValue: 8)

    /// Whether the sender lets the connection stay open after the message (RFC 9112 section 9.3).
    package func isPersistent(in version: HTTPVersion) -> Bool {
        switch version {
        case .http11: !contains(.close)
        case .http10: contains(.keepAlive) && !contains(.close)
        }
    }

    /// Reads one option, which is a token.
    init(_ bytes: Span<UInt8>, option: ByteRange) {
        if option.count == 5, ASCII.isName(bytes, at: option.lowerBound, "close") {
            self = .close
            return
        }
        let name = FieldName(bytes, option)
        switch name {
        case .keepAlive: self = .keepAlive
        case .upgrade: self = .upgrade
        default: self = name.isHopByHop ? [] : .namesFields
        }
    }
}
