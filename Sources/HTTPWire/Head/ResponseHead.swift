/// The head of a response as it came, held to the same strictness as a request's.
///
/// A value of offsets only; the ranges refer to the bytes that were parsed, which the owner keeps beside it.
@usableFromInline package struct ResponseHead {
    /// Bytes of the head with the empty line after it: the body, or the next response, begins here.
    package let byteCount: Int
    package let version: HTTPVersion
    /// 100 to 599.
    package let status: Int
    /// May be empty.
    package let reason: ByteRange
    @usableFromInline let parsed: ParsedLines
    /// Decided with the request's method (RFC 9112 section 6.3): a HEAD, 1xx, 204 or 304 has no body, whatever its
    /// fields say, and neither has the answer that opens a tunnel.
    package let framing: BodyFraming
    package let connection: ConnectionOptions
    /// Whether the connection can carry another exchange after this response.
    package let isPersistent: Bool
    /// Seconds, from the timeout parameter of Keep-Alive; nil if absent or unreadable.
    package let keepAliveTimeout: Int?

    /// The head's until the next parse into them; a debug build traps where they are asked for later.
    @inlinable package var fields: FieldLines { parsed.lines }

    /// Parses the head at the beginning of the bytes; nil if it goes on after them.
    ///
    /// The field lines go to `fields` and are the head's until the next parse into them.
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
        // Read even where no body can follow: fields that contradict each other are a reason to trust nothing.
        let transfer = try TransferFields(bytes, facts, line.version)
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
