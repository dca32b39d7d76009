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

/// The fields that a head's Connection fields name, to be dropped with them (RFC 9110 section 7.6.1).
///
/// Made once for each head, and only if its `connection` contains `namesFields`. It reads the Connection fields once,
/// so that a long one cannot slow down every other field. A head with more names than fit was already refused.
package struct ConnectionNames: Sendable {
    static let capacity = 32

    /// Empty for nearly every head, and then without memory.
    private var ranges: [ByteRange] = []

    /// Makes an empty list.
    package init() {}

    /// Reads the names from the bytes from which the fields were parsed.
    package init(_ bytes: Span<UInt8>, _ fields: FieldLines) {
        for index in 0..<fields.count where fields[index].known == .connection {
            var list = TokenList(fields[index].value)
            while ranges.count < Self.capacity, let element = list.next(in: bytes) {
                guard !element.isEmpty, ConnectionOptions(bytes, option: element) == .namesFields else { continue }
                ranges.append(element)
            }
        }
    }

    /// Whether the field of this name must be dropped.
    ///
    /// Hop-by-hop fields are not checked, because they are dropped anyway.
    package func names(_ field: ByteRange, in bytes: Span<UInt8>) -> Bool {
        for range in ranges where ASCII.equalsIgnoringCase(bytes, range, field) { return true }
        return false
    }
}

/// Reads the Keep-Alive field, which is only a hint and so never a reason to refuse a message (RFC 2068 section
/// 19.7.1).
enum KeepAliveParameters {
    /// A backend's promise of more than a day is ignored, and the number cannot overflow.
    private static let longestTimeout = 86_400

    /// The seconds after "timeout=".
    static func timeout(_ bytes: Span<UInt8>, _ value: ByteRange) -> Int? {
        let name = "timeout="
        var list = TokenList(value)
        while let parameter = list.next(in: bytes) {
            let digits = parameter.lowerBound + name.utf8.count
            guard digits < parameter.upperBound,
                ASCII.equalsIgnoringCase(bytes, ByteRange(parameter.lowerBound, digits), name)
            else { continue }
            var seconds = 0
            for index in digits..<parameter.upperBound {
                guard ASCII.isDigit(bytes[index]) else { return nil }
                seconds = min(seconds * 10 + Int(bytes[index] & 0x0F), longestTimeout)
            }
            return seconds
        }
        return nil
    }
}
