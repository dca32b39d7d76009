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
