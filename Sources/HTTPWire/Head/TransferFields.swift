/// The content of Content-Length and Transfer-Encoding, independent of the message's kind (RFC 9112 section 6).
enum TransferFields: BitwiseCopyable {
    case absent
    case length(UInt64)
    case chunked

    /// What the fields of a head mean, which is not read again for a section that was read before.
    @inline(__always)
    static func of(
        _ fields: FieldLines, _ bytes: Span<UInt8>, _ facts: FieldFacts, _ version: HTTPVersion
    ) throws(MessageError) -> TransferFields {
        guard case .http11 = version else { return try TransferFields(bytes, facts, version) }
        if let known = fields.section.transfer { return known }
        let read = try TransferFields(bytes, facts, version)
        fields.section.transfer = read
        return read
    }

    /// Reads the one field that is present, if any; two of them were refused before.
    init(_ bytes: Span<UInt8>, _ facts: FieldFacts, _ version: HTTPVersion) throws(MessageError) {
        if let value = facts.transferEncoding {
            guard version == .http11 else { throw .transferEncodingInHTTP10 }
            try Self.requireChunked(bytes, value)
            self = .chunked
        } else if let value = facts.contentLength {
            self = .length(try Self.length(bytes, value))
        } else {
            self = .absent
        }
    }

    private static let maximumDigits = 20

    private static func length(_ bytes: Span<UInt8>, _ value: ByteRange) throws(MessageError) -> UInt64 {
        guard !value.isEmpty else { throw .malformedContentLength }
        var number: UInt64 = 0
        if value.count <= 18 {
            // A number of so few digits always fits.
            for index in value.lowerBound..<value.upperBound {
                guard ASCII.isDigit(bytes[index]) else { throw .malformedContentLength }
                number = number &* 10 &+ UInt64(bytes[index] & 0x0F)
            }
            return number
        }
        // More digits than any number needs are refused even if they are zeros: some parsers stop counting.
        var isTooLarge = value.count > maximumDigits
        for index in value.lowerBound..<value.upperBound {
            guard ASCII.isDigit(bytes[index]) else { throw .malformedContentLength }
            let digit = UInt64(bytes[index] & 0x0F)
            isTooLarge = isTooLarge || number > (UInt64(Int64.max) - digit) / 10
            number = number &* 10 &+ digit
        }
        guard !isTooLarge else { throw .contentLengthOverflow }
        return number
    }

    /// Returns if the value is "chunked" alone.
    ///
    /// Codings that Attaché cannot decode are answered with 501. But if chunked is among them without being the last,
    /// the request has no reliable end and is refused (RFC 9112 section 6.3).
    private static func requireChunked(_ bytes: Span<UInt8>, _ value: ByteRange) throws(MessageError) {
        if ASCII.equalsIgnoringCase(bytes, value, "chunked") { return }
        var list = TokenList(value)
        var chunkedCount = 0
        var isChunkedLast = false
        var codings = 0
        while let coding = list.next(in: bytes) {
            guard ASCII.isToken(bytes, coding) else { throw .malformedTransferEncoding }
            codings += 1
            isChunkedLast = ASCII.equalsIgnoringCase(bytes, coding, "chunked")
            if isChunkedLast { chunkedCount += 1 }
        }
        let isWellFormed = codings > 0 && (chunkedCount == 0 || (chunkedCount == 1 && isChunkedLast && codings > 1))
        throw isWellFormed ? .unsupportedTransferCoding : .malformedTransferEncoding
    }
}
