/// The first line of a response (RFC 9112 section 4).
struct StatusLine {
    let version: HTTPVersion
    let status: Int
    let reason: ByteRange
    /// The offset of the first field line.
    let end: Int

    /// The line of nearly all responses.
    private static let okLine: StaticString = "HTTP/1.1 200 OK\r\n"

    /// Parses the line; nil if the bytes end before it is complete.
    static func parse(_ bytes: Span<UInt8>, upTo end: Int) throws(MessageError) -> StatusLine? {
        if end >= okLine.utf8CodeUnitCount, bytes.word(at: 0) == okLine.word(at: 0),
            bytes.word(at: 8) == okLine.word(at: 8), bytes[16] == ASCII.lineFeed
        {
            return StatusLine(version: .http11, status: 200, reason: ByteRange(13, 15), end: 17)
        }
        guard let version = try VersionText.parse(bytes, at: 0, upTo: end, else: .malformedStatusLine) else {
            return nil
        }
        var index = VersionText.byteCount
        guard index < end else { return nil }
        guard bytes[index] == ASCII.space else { throw LineEnd.fault(bytes[index], else: .malformedStatusLine) }
        index += 1
        var status = 0
        for digit in index..<index + 3 {
            guard digit < end else { return nil }
            guard ASCII.isDigit(bytes[digit]) else { throw LineEnd.fault(bytes[digit], else: .malformedStatusLine) }
            status = status * 10 + Int(bytes[digit] & 0x0F)
        }
        index += 3
        guard index < end else { return nil }
        // The grammar requires a space even before an empty reason. Some servers leave out both, every client accepts
        // that, and it is not ambiguous.
        if bytes[index] == ASCII.space {
            index += 1
        } else if bytes[index] != ASCII.carriageReturn {
            throw LineEnd.fault(bytes[index], else: .malformedStatusLine)
        }
        guard 100...599 ~= status else { throw .statusOutOfRange }
        let reasonStart = index
        index = bytes.endOfFieldContent(from: index, to: end)
        guard index < end else { return nil }
        guard bytes[index] == ASCII.carriageReturn else { throw LineEnd.fault(bytes[index], else: .malformedReason) }
        guard let next = try LineEnd.skip(bytes, at: index, upTo: end) else { return nil }
        return StatusLine(version: version, status: status, reason: ByteRange(reasonStart, index), end: next)
    }
}
