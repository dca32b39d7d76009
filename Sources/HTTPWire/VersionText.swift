/// The text "HTTP/1.1" in a start line, in upper case only (RFC 9112 section 2.3).
enum VersionText {
    static let byteCount = 8

    /// Nil if the bytes end before the version does.
    static func parse(
        _ bytes: Span<UInt8>, at start: Int, upTo end: Int, else error: MessageError
    ) throws(MessageError) -> HTTPVersion? {
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
        switch (bytes[start + 5], bytes[start + 7]) {
        case (UInt8(ascii: "1"), UInt8(ascii: "1")): return .http11
        case (UInt8(ascii: "1"), UInt8(ascii: "0")): return .http10
        default: throw .unsupportedVersion
        }
    }
}
