import HTTPWire

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
