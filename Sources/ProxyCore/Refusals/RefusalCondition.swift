package import HTTPWire

/// A response that refuses a token: its status, and perhaps a text in one of its fields or in its body.
package struct RefusalCondition: Equatable, Sendable {
    /// What must hold in addition to the status.
    package enum Evidence: Equatable, Sendable {
        case none
        /// A line of this field contains the text; case does not matter in the name.
        case field(name: String, contains: String)
        /// The first KiB of the body contains the text.
        case body(contains: String)
    }

    package let status: Int
    package let evidence: Evidence

    package init(status: Int, evidence: Evidence = .none) {
        self.status = status
        self.evidence = evidence
    }

    /// Whether a line of a head's field contains a text.
    static func contains(
        _ text: String, inField name: String, of head: borrowing ResponseHead, _ bytes: Span<UInt8>
    ) -> Bool {
        let text = Array(text.utf8)
        for index in 0..<head.fields.count {
            let field = head.fields[index]
            guard ASCII.equalsIgnoringCase(bytes, field.name, name) else { continue }
            if contains(text, in: bytes.extracting(field.value.lowerBound..<field.value.upperBound)) { return true }
        }
        return false
    }

    /// Whether bytes contain a text; case matters.
    static func contains(_ text: [UInt8], in bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= text.count else { return false }
        for start in 0...(bytes.count - text.count) {
            var length = 0
            while length < text.count, bytes[start + length] == text[length] { length += 1 }
            if length == text.count { return true }
        }
        return false
    }
}

/// Which response of a backend refuses the attached token, so that Attaché fetches another one.
package enum RefreshRule: Equatable, Sendable {
    /// No response: each one is passed on.
    case never
    /// A 401 whose challenge says `invalid_token` (RFC 6750 section 3.1).
    case invalidToken
    /// Every 401, for backends that do not say why.
    case unauthorized
    /// A response that meets any of these conditions.
    case conditions([RefusalCondition])

    package var isNever: Bool {
        switch self {
        case .never: true
        case .invalidToken, .unauthorized, .conditions: false
        }
    }
}

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
