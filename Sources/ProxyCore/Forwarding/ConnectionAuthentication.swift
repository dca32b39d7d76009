package import HTTPWire

/// NTLM and Negotiate, which authenticate a connection: later requests on it may act for the same user without a
/// credential.
///
/// A connection to a backend that carried one of them serves no other app (RFC 4559 section 6).
package enum ConnectionAuthentication {
    /// Whether a value of `Authorization` uses such a scheme.
    static func isUsed(_ value: ByteRange, in bytes: Span<UInt8>) -> Bool {
        let scheme = ChallengeParameter.token(at: value.lowerBound, before: value.upperBound, in: bytes)
        return ASCII.equalsIgnoringCase(bytes, scheme, "negotiate") || ASCII.equalsIgnoringCase(bytes, scheme, "ntlm")
    }

    /// Whether a response offers or continues such a scheme.
    package static func isOffered(_ head: borrowing ResponseHead, in bytes: Span<UInt8>) -> Bool {
        guard head.fields.contains(.wwwAuthenticate) else { return false }
        for index in 0..<head.fields.count where head.fields[index].known == .wwwAuthenticate {
            var elements = ChallengeElements(head.fields[index].value)
            while let element = elements.next(in: bytes) {
                if isUsed(element, in: bytes) { return true }
            }
        }
        return false
    }
}
