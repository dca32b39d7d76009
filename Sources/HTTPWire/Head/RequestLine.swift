/// The first line of a request, split but not yet interpreted (RFC 9112 section 3).
struct RequestLine {
    let method: ByteRange
    /// Visible ASCII without "#", at least one byte.
    let target: ByteRange
    let version: HTTPVersion
    /// The offset of the first field line.
    let end: Int

    /// The end of nearly all lines.
    private static let ending: StaticString = " HTTP/1.1\r\n"

    /// Parses the line; nil if the bytes end before it is complete.
    static func parse(_ bytes: Span<UInt8>, upTo end: Int) throws(MessageError) -> RequestLine? {
        var index = 0
        // A server skips one empty line before the request line (RFC 9112 section 2.2).
        if end > 0, bytes[0] == ASCII.carriageReturn || bytes[0] == ASCII.lineFeed {
            guard let next = try LineEnd.skip(bytes, at: 0, upTo: end) else { return nil }
            index = next
        }
        let start = index
        if end &- index > 4, bytes.half(at: index) == ("GET " as StaticString).half(at: 0) {
            index &+= 3
        } else {
            index = ByteScan.endOfToken(bytes, from: index, to: end)
        }
        guard index < end else { return nil }
        let method = ByteRange(start, index)
        guard bytes[index] == ASCII.space, !method.isEmpty else {
            // 0x16 is the record type of a ClientHello.
            throw bytes[start] == 0x16 ? .tlsInsteadOfHTTP : LineEnd.fault(bytes[index], else: .malformedRequestLine)
        }
        index += 1
        let targetStart = index
        index = bytes.endOfTarget(from: index, to: end)
        guard index < end else { return nil }
        let target = ByteRange(targetStart, index)
        guard bytes[index] == ASCII.space else {
            let isLineEnd = bytes[index] == ASCII.carriageReturn || bytes[index] == ASCII.lineFeed
            throw isLineEnd ? .malformedRequestLine : .malformedTarget
        }
        guard !target.isEmpty else { throw .malformedRequestLine }
        if end &- index >= Self.ending.utf8CodeUnitCount, bytes.word(at: index) == Self.ending.word(at: 0),
            bytes.half(at: index &+ 7) == Self.ending.half(at: 7)
        {
            let next = index &+ Self.ending.utf8CodeUnitCount
            return RequestLine(method: method, target: target, version: .http11, end: next)
        }
        guard let version = try VersionText.parse(bytes, at: index + 1, upTo: end, else: .malformedRequestLine) else {
            return nil
        }
        let afterVersion = index + 1 + VersionText.byteCount
        guard afterVersion < end else { return nil }
        guard bytes[afterVersion] == ASCII.carriageReturn else {
            throw LineEnd.fault(bytes[afterVersion], else: .malformedRequestLine)
        }
        guard let next = try LineEnd.skip(bytes, at: afterVersion, upTo: end) else { return nil }
        return RequestLine(method: method, target: target, version: version, end: next)
    }
}
