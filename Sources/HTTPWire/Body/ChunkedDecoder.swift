/// Reads the chunked transfer coding (RFC 9112 section 7.1).
///
/// Sizes are hexadecimal digits and lines end with CR LF, nothing else. Extensions and trailer fields are checked,
/// bounded and dropped.
@usableFromInline struct ChunkedDecoder: Sendable {
    private enum State {
        /// In the hexadecimal digits of a size; `digits` is their number so far.
        case size(digits: Int)
        case extensions(ChunkExtensionChecker)
        case sizeLineFeed
        case data
        case dataCarriageReturn
        case dataLineFeed
        case trailers(TrailerChecker)
    }

    /// More digits than `Int64.max` needs are refused even if they are zeros.
    private static let maximumDigits = 16
    private static let maximumLine = 4096
    private static let maximumExtensions = 16_384

    private var state = State.size(digits: 0)
    /// The size while it is read, then the rest of the chunk in bytes; at most `Int64.max`.
    private var remaining: UInt64 = 0
    private var lineBytes = 0
    /// Extension bytes that are not yet offset by content.
    ///
    /// A long body may have an extension on every chunk, but the bytes without content are bounded.
    private var unpaidBytes = 0

    mutating func next(in bytes: Span<UInt8>, at offset: inout Int) throws(MessageError) -> BodyDecoder.Piece {
        while offset < bytes.count {
            if case .data = state {
                let count = Int(min(remaining, UInt64(bytes.count - offset)))
                remaining -= UInt64(count)
                unpaidBytes = max(0, unpaidBytes - count)
                if remaining == 0 { state = .dataCarriageReturn }
                return BodyDecoder.take(count, at: &offset)
            }
            let isEnd = try step(bytes[offset])
            offset += 1
            if isEnd { return .end }
        }
        return .needMore
    }

    /// Takes one byte that is not content; true if it was the last of the body.
    private mutating func step(_ byte: UInt8) throws(MessageError) -> Bool {
        switch state {
        case .size(let digits): try sizeByte(byte, digits)
        case .extensions(var checker):
            if byte == ASCII.carriageReturn, checker.isComplete {
                state = .sizeLineFeed
            } else {
                try countExtension()
                try checker.step(byte)
                state = .extensions(checker)
            }
        case .sizeLineFeed:
            guard byte == ASCII.lineFeed else { throw .bareCarriageReturn }
            lineBytes = 0
            state = remaining == 0 ? .trailers(TrailerChecker()) : .data
        case .data: preconditionFailure("content is not read byte by byte")
        case .dataCarriageReturn:
            guard byte == ASCII.carriageReturn else { throw LineEnd.fault(byte, else: .missingChunkEnd) }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == ASCII.lineFeed else { throw .bareCarriageReturn }
            state = .size(digits: 0)
        case .trailers(var checker):
            let isEnd = try checker.step(byte)
            state = .trailers(checker)
            return isEnd
        }
        return false
    }

    private mutating func sizeByte(_ byte: UInt8, _ digits: Int) throws(MessageError) {
        if let value = ASCII.hexadecimalValue(byte) {
            guard digits < Self.maximumDigits, remaining <= UInt64(Int64.max) >> 4 else { throw .chunkSizeOverflow }
            remaining = remaining << 4 | UInt64(value)
            state = .size(digits: digits + 1)
            return
        }
        guard digits > 0 else { throw LineEnd.fault(byte, else: .malformedChunkSize) }
        switch byte {
        case ASCII.carriageReturn: state = .sizeLineFeed
        case UInt8(ascii: ";"): state = .extensions(ChunkExtensionChecker())
        default: throw LineEnd.fault(byte, else: .malformedChunkSize)
        }
    }

    private mutating func countExtension() throws(MessageError) {
        lineBytes += 1
        unpaidBytes += 1
        guard lineBytes <= Self.maximumLine, unpaidBytes <= Self.maximumExtensions else {
            throw .chunkExtensionsTooLarge
        }
    }
}

/// Checks the grammar of chunk extensions while it drops them (RFC 9112 section 7.1.1).
///
/// A quote that is not closed on its line is refused, because another parser might look for the line's end after it.
/// White space outside quotes is refused too: the grammar tolerates it for old senders, but other parsers do not.
struct ChunkExtensionChecker: Sendable {
    private enum State {
        /// After a ";": the name follows.
        case nameStart
        case name
        /// After the "=": the value follows.
        case valueStart
        case token
        case quoted
        /// After a backslash within quotes.
        case escaped
        /// After the closing quote.
        case closed
    }

    private var state = State.nameStart

    /// Whether the line may end here.
    var isComplete: Bool {
        switch state {
        case .name, .token, .closed: true
        case .nameStart, .valueStart, .quoted, .escaped: false
        }
    }

    /// Takes the next byte of the line, which is not its CR.
    mutating func step(_ byte: UInt8) throws(MessageError) {
        guard let next = next(byte) else { throw LineEnd.fault(byte, else: .malformedChunkExtension) }
        state = next
    }

    private func next(_ byte: UInt8) -> State? {
        let isSeparator = byte == UInt8(ascii: ";")
        switch state {
        case .nameStart: return ASCII.isToken(byte) ? .name : nil
        case .name:
            if byte == UInt8(ascii: "=") { return .valueStart }
            if isSeparator { return .nameStart }
            return ASCII.isToken(byte) ? .name : nil
        case .valueStart:
            if byte == UInt8(ascii: "\"") { return .quoted }
            return ASCII.isToken(byte) ? .token : nil
        case .token:
            if isSeparator { return .nameStart }
            return ASCII.isToken(byte) ? .token : nil
        case .quoted:
            if byte == UInt8(ascii: "\"") { return .closed }
            if byte == UInt8(ascii: "\\") { return .escaped }
            return ASCII.isFieldContent(byte) ? .quoted : nil
        case .escaped: return ASCII.isFieldContent(byte) ? .quoted : nil
        case .closed: return isSeparator ? .nameStart : nil
        }
    }
}
