package import HTTPWire

/// Searches the first KiB of a response's body for the texts that say that it refuses the token.
///
/// Made for one response, whose body is held back until the search has an outcome.
package struct RefusalSearch: Sendable {
    package enum Outcome: Equatable, Sendable {
        case found
        /// The texts are not in the first KiB, or the body cannot be read.
        case absent
        case undecided
    }

    /// The number of bytes of content that are searched.
    private static let contentLimit = 1024
    /// With more bytes than this, framing included, the body is no longer held back: small chunks carry little
    /// content.
    private static let byteLimit = 4096

    private let texts: [[UInt8]]
    private var decoder: BodyDecoder
    private var content: [UInt8] = []
    private var byteCount = 0

    package init(for texts: [String], framing: BodyFraming) {
        self.texts = texts.map { Array($0.utf8) }
        decoder = BodyDecoder(framing)
    }

    /// Looks at the next bytes of the body.
    package mutating func look(at bytes: Span<UInt8>) -> Outcome {
        byteCount += bytes.count
        do throws(MessageError) {
            try read(bytes)
        } catch {
            // The code that forwards the body finds the same error.
            return .absent
        }
        if texts.contains(where: { RefusalCondition.contains($0, in: content.span) }) { return .found }
        let isOver = decoder.isComplete || content.count >= Self.contentLimit || byteCount >= Self.byteLimit
        return isOver ? .absent : .undecided
    }

    private mutating func read(_ bytes: Span<UInt8>) throws(MessageError) {
        var offset = 0
        while content.count < Self.contentLimit, !decoder.isComplete {
            switch try decoder.next(in: bytes, at: &offset) {
            case .data(let range):
                let end = min(range.upperBound, range.lowerBound + Self.contentLimit - content.count)
                content.append(copying: bytes.extracting(range.lowerBound..<end))
            case .end, .needMore: return
            }
        }
    }
}
