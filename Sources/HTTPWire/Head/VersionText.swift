/// The text "HTTP/1.1" in a start line, in upper case only (RFC 9112 section 2.3).
enum VersionText {
    static let byteCount = 8
    // The text as eight bytes, the first in the low bits.
    private static let http11: UInt64 = 0x312E_312F_5054_5448
    private static let http10: UInt64 = 0x302E_312F_5054_5448

    /// Parses the version; nil if the bytes end before it is complete.
    static func parse(
        _ bytes: Span<UInt8>, at start: Int, upTo end: Int, else error: MessageError
    ) throws(MessageError) -> HTTPVersion? {
        if end - start >= byteCount {
            let text = bytes.word(at: start)
            if text == http11 { return .http11 }
            if text == http10 { return .http10 }
        }
        // Another version, or an incomplete one: find out what is wrong, and where.
        let name: [5 of UInt8] = [0x48, 0x54, 0x54, 0x50, 0x2F]
        for offset in 0..<byteCount {
            guard start + offset < end else { return nil }
            let byte = bytes[start + offset]
            let isExpected =
                switch offset {
                case 0...4: byte == name[offset]
                case 6: byte == UInt8(ascii: ".")
                default: ASCII.isDigit(byte)
                }
            guard isExpected else { throw offset == 0 ? LineEnd.fault(byte, else: error) : .malformedVersion }
        }
        throw .unsupportedVersion
    }
}

/// The protocol version of a message; every other version is refused (RFC 9112 section 2.3).
@usableFromInline package enum HTTPVersion: Sendable {
    case http10
    case http11
}
