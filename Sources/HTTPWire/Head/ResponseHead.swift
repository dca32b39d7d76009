/// The head of a response as it arrived, parsed as strictly as a request's.
///
/// It holds only offsets; the ranges refer to the parsed bytes, which the owner keeps beside it.
@usableFromInline package struct ResponseHead {
    /// The length in bytes, with the empty line after the head: the body, or the next response, begins here.
    package let byteCount: Int
    @usableFromInline package let version: HTTPVersion
    /// 100 to 599.
    package let status: Int
    /// The reason phrase; may be empty.
    @usableFromInline package let reason: ByteRange
    /// The status line from its beginning to the end of its CR LF, if it arrived exactly as the proxy writes it.
    @inlinable package var canonicalStatusLine: ByteRange? {
        // After a version and a status, whose lengths are fixed, a space precedes the reason here and nowhere else.
        guard case .http11 = version, reason.lowerBound == 13 else { return nil }
        return ByteRange(0, reason.upperBound &+ 2)
    }
    @usableFromInline let parsed: ParsedLines
    /// The framing, which depends on the request's method (RFC 9112 section 6.3).
    ///
    /// The response to a HEAD, a 1xx, 204 or 304, and a response that opens a tunnel have no body, whatever their
    /// fields say.
    package let framing: BodyFraming
    package let connection: ConnectionOptions
    /// Whether the connection can be used for another exchange after this response.
    package let isPersistent: Bool
    /// The timeout parameter of Keep-Alive, in seconds; nil if it is absent or invalid.
    package let keepAliveTimeout: Int?

    /// The head's field lines, valid until the next parse into them; a debug build traps if they are read later.
    @inlinable package var fields: FieldLines { parsed.lines }

    /// Parses the head at the beginning of the bytes; nil if the head is incomplete.
    ///
    /// The field lines go to `fields` and belong to the head until the next parse into them.
    package static func parse(
        _ bytes: Span<UInt8>, answering method: Method, limits: HeadLimits, fields: FieldLines = FieldLines()
    ) throws(MessageError) -> ResponseHead? {
        let window = HeadWindow(bytes, limits)
        guard let line = try StatusLine.parse(bytes, upTo: window.end) else {
            try window.requireMore(orThrow: .headTooLarge)
            return nil
        }
        var facts = FieldFacts()
        guard
            let end = try FieldSection.parse(
                bytes, at: line.end, upTo: window.end, atMost: limits.fieldCount, into: fields, noting: &facts)
        else {
            try window.requireMore(orThrow: .headTooLarge)
            return nil
        }
        // Read even if no body can follow: a head with contradicting fields must not be trusted.
        let transfer = try TransferFields.of(fields, bytes, facts, line.version)
        let framing = framing(transfer, line.status, method)
        return ResponseHead(
            byteCount: end, version: line.version, status: line.status, reason: line.reason,
            parsed: ParsedLines(newestOf: fields),
            framing: framing, connection: facts.connection,
            isPersistent: facts.connection.isPersistent(in: line.version) && framing != .untilClose,
            keepAliveTimeout: facts.keepAlive.flatMap { KeepAliveParameters.timeout(bytes, $0) })
    }

    private static func framing(_ transfer: TransferFields, _ status: Int, _ method: Method) -> BodyFraming {
        switch status {
        case 100...199, 204, 304: return .none
        case 200...299 where method == .connect: return .none
        default: break
        }
        if method == .head { return .none }
        switch transfer {
        case .absent: return .untilClose
        case .length(let count): return .length(count)
        case .chunked: return .chunked
        }
    }
}
