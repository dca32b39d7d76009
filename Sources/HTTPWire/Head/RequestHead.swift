/// The head of a request as it arrived, with one clear meaning: an ambiguous head is refused, never repaired.
///
/// It holds only offsets; the ranges refer to the parsed bytes, which the owner keeps beside it.
@usableFromInline package struct RequestHead {
    /// The length in bytes, with a skipped empty line before the head and the empty line after it: the body begins
    /// here.
    package let byteCount: Int
    package let method: Method
    package let methodName: ByteRange
    package let target: RequestTarget
    package let targetText: ByteRange
    /// Two heads that were parsed into the same `FieldLines` and have the same number have absolute targets with the same
    /// authority, byte for byte; 0 says nothing.
    package let authorityNumber: Int
    package let version: HTTPVersion
    @usableFromInline let parsed: ParsedLines
    /// `none`, `length` or `chunked`.
    package let framing: BodyFraming
    package let connection: ConnectionOptions
    /// Whether the client waits for a 100 before it sends its body (RFC 9110 section 10.1.1).
    ///
    /// Never in HTTP/1.0, and never without a body, because there is nothing to wait for.
    package let expectsContinue: Bool
    /// Whether the client may send another request after this one.
    ///
    /// Never after CONNECT: the bytes that follow are meant for the tunnel even if none is opened, and may come from
    /// someone other than the client. They must not be read as a request.
    package let isPersistent: Bool

    /// The head's field lines, valid until the next parse into them; a debug build traps if they are read later.
    @inlinable package var fields: FieldLines { parsed.lines }

    /// Which lines the head was parsed into.
    @inlinable package var fieldsIdentity: ObjectIdentifier { ObjectIdentifier(parsed.shared) }

    /// Parses the head at the beginning of the bytes; nil if the head is incomplete.
    ///
    /// A refusal does not wait for the end of the head: an error, or an excess over a limit, is thrown as soon as it
    /// is seen.
    ///
    /// The field lines go to `fields` and belong to the head until the next parse into them.
    package static func parse(
        _ bytes: Span<UInt8>, limits: HeadLimits, fields: FieldLines = FieldLines()
    ) throws(MessageError) -> RequestHead? {
        let window = HeadWindow(bytes, limits)
        guard let line = try RequestLine.parse(bytes, upTo: window.end) else {
            try window.requireMore(orThrow: .targetTooLong)
            return nil
        }
        let method = Method(bytes, line.method)
        let target = try RequestTarget(bytes, line.target, for: method, known: fields.authority)
        var facts = FieldFacts()
        guard
            let end = try FieldSection.parse(
                bytes, at: line.end, upTo: window.end, atMost: limits.fieldCount, into: fields, noting: &facts)
        else {
            try window.requireMore(orThrow: .headTooLarge)
            return nil
        }
        try checkHost(bytes, facts, line.version, target, fields.authority)
        let framing = try framing(try TransferFields.of(fields, bytes, facts, line.version), method)
        return RequestHead(
            byteCount: end, method: method, methodName: line.method, target: target, targetText: line.target,
            authorityNumber: fields.authority.newest, version: line.version, parsed: ParsedLines(newestOf: fields),
            framing: framing,
            connection: facts.connection,
            expectsContinue: expectsContinue(bytes, facts, line.version, framing),
            isPersistent: method != .connect && facts.connection.isPersistent(in: line.version))
    }

    /// Whether the request is an OPTIONS about the server as a whole (RFC 9112 section 3.2.4).
    package var asksAboutServer: Bool {
        switch target {
        case .asterisk: true
        case .absolute(_, _, _, let path): method == .options && path.isEmpty
        case .origin, .authority: false
        }
    }

    /// The authority that the client has named: that of an absolute target, else that of `Host`.
    ///
    /// Empty if it has named none, as old clients may (RFC 9112 section 3.2).
    package func namedAuthority() -> ByteRange {
        if case .absolute(_, let host, _, let path) = target { return ByteRange(host.lowerBound, path.lowerBound) }
        return fields.first(.host)?.value ?? ByteRange(0, 0)
    }

    private static func expectsContinue(
        _ bytes: Span<UInt8>, _ facts: FieldFacts, _ version: HTTPVersion, _ framing: BodyFraming
    ) -> Bool {
        guard let expectation = facts.expect, version == .http11, framing != .none, framing != .length(0) else {
            return false
        }
        return ASCII.equalsIgnoringCase(bytes, expectation, "100-continue")
    }

    private static func framing(
        _ transfer: TransferFields, _ method: Method
    ) throws(MessageError) -> BodyFraming {
        let framing: BodyFraming =
            switch transfer {
            case .absent: .none
            case .length(let count): .length(count)
            case .chunked: .chunked
            }
        guard method == .connect else { return framing }
        // The bytes after a CONNECT belong to the tunnel (RFC 9110 section 9.3.6); content there would be ambiguous.
        guard framing == .none || framing == .length(0) else { throw .contentInConnect }
        return .none
    }

    /// RFC 9112 section 3.2: one Host in 1.1, at most one in 1.0, valid or empty.
    private static func checkHost(
        _ bytes: Span<UInt8>, _ facts: FieldFacts, _ version: HTTPVersion, _ target: RequestTarget,
        _ known: borrowing KnownAuthority
    ) throws(MessageError) {
        guard !facts.isHostRepeated else { throw .repeatedHost }
        guard let host = facts.host else {
            if version == .http11 { throw .missingHost }
            return
        }
        guard !host.isEmpty else { return }
        // The value of nearly all requests: the authority of the target again, which was found valid.
        if known.isKnown(bytes, host) { return }
        if case .absolute(_, let asked, _, let path) = target,
            bytes.extracting(asked.lowerBound..<path.lowerBound)
                .isEqual(to: bytes.extracting(host.lowerBound..<host.upperBound))
        {
            return
        }
        let authority: Authority
        do throws(MessageError) {
            authority = try Authority(bytes, from: host.lowerBound, to: host.upperBound)
        } catch {
            throw .malformedHostField
        }
        guard authority.end == host.upperBound else { throw .malformedHostField }
    }
}
