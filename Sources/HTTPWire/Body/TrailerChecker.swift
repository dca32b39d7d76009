/// Checks trailer fields by the rules for fields while it drops them (RFC 9112 section 7.1.2).
///
/// They are not merged into the head: a trailer must never frame, route or authenticate. One that would frame the
/// message again is refused, because some parsers merge it (RFC 9110 section 6.5.1).
struct TrailerChecker: Sendable {
    private enum State {
        case lineStart
        case name
        case value
        case lineFeed
        /// After the CR of the empty line.
        case lastLineFeed
    }

    private static let maximumBytes = 16_384

    private var state = State.lineStart
    private var byteCount = 0
    private var name = FramingName()

    /// Takes the next byte; true if it ended the trailer section.
    mutating func step(_ byte: UInt8) throws(MessageError) -> Bool {
        byteCount += 1
        guard byteCount <= Self.maximumBytes else { throw .trailersTooLarge }
        switch state {
        case .lineStart:
            if byte == ASCII.carriageReturn {
                state = .lastLineFeed
            } else {
                guard ASCII.isToken(byte) else { throw FieldSection.nameFault(byte, isFirst: true) }
                name = FramingName()
                name.append(byte)
                state = .name
            }
        case .name:
            if byte == UInt8(ascii: ":") {
                guard !name.isFraming else { throw .framingInTrailers }
                state = .value
            } else {
                guard ASCII.isToken(byte) else { throw FieldSection.nameFault(byte, isFirst: false) }
                name.append(byte)
            }
        case .value:
            if byte == ASCII.carriageReturn {
                state = .lineFeed
            } else {
                guard ASCII.isFieldContent(byte) else { throw LineEnd.fault(byte, else: .malformedFieldValue) }
            }
        case .lineFeed:
            guard byte == ASCII.lineFeed else { throw .bareCarriageReturn }
            state = .lineStart
        case .lastLineFeed:
            guard byte == ASCII.lineFeed else { throw .bareCarriageReturn }
            return true
        }
        return false
    }
}
