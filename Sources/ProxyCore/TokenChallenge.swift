package import HTTPWire
import TokenManager

/// What a backend's challenges say of the token that it was sent (RFC 9110 section 11.6.1, RFC 6750 section 3).
package enum TokenChallenge {
    /// Whether a final response refuses the attached token, by the route's rule.
    package static func refusesToken(
        _ head: borrowing ResponseHead, in bytes: Span<UInt8>, by rule: RetryOn401
    ) -> Bool {
        guard head.status == 401 else { return false }
        switch rule {
        case .never: return false
        case .any: return true
        case .invalidToken:
            for index in 0..<head.fields.count {
                let field = head.fields[index]
                guard field.known == .wwwAuthenticate else { continue }
                if says("invalid_token", field.value, in: bytes) { return true }
            }
            return false
        }
    }

    /// Whether a final response refuses the proof because it lacks a nonce (RFC 9449 section 9).
    package static func asksForNonce(_ head: borrowing ResponseHead, in bytes: Span<UInt8>) -> Bool {
        guard head.status == 401 else { return false }
        for index in 0..<head.fields.count {
            let field = head.fields[index]
            guard ASCII.equalsIgnoringCase(bytes, field.name, "www-authenticate") else { continue }
            if says("use_dpop_nonce", field.value, in: bytes) { return true }
        }
        return false
    }

    /// The nonce that a response brings for the proofs to come (RFC 9449 section 8.2); nil where there is none.
    package static func nonce(_ head: borrowing ResponseHead, in bytes: Span<UInt8>) -> String? {
        for index in 0..<head.fields.count {
            let field = head.fields[index]
            guard ASCII.equalsIgnoringCase(bytes, field.name, "dpop-nonce") else { continue }
            var copy: [UInt8] = []
            copy.append(copying: bytes, field.value)
            let text = String(decoding: copy, as: UTF8.self)
            return TokenBinding.isNonce(text) ? text : nil
        }
        return nil
    }

    /// Whether one of the challenges in a field value is `Bearer` or `DPoP` with this error.
    static func says(_ error: String, _ value: ByteRange, in bytes: Span<UInt8>) -> Bool {
        var elements = ChallengeElements(value)
        var isTokenScheme = false
        while let element = elements.next(in: bytes) {
            var parameter = ChallengeParameter(element, in: bytes)
            if parameter == nil {
                let scheme = ChallengeParameter.token(at: element.lowerBound, before: element.upperBound, in: bytes)
                isTokenScheme =
                    ASCII.equalsIgnoringCase(bytes, scheme, "bearer") || ASCII.equalsIgnoringCase(bytes, scheme, "dpop")
                parameter = ChallengeParameter(ByteRange(scheme.upperBound, element.upperBound), in: bytes)
            }
            guard isTokenScheme, let parameter else { continue }
            if ASCII.equalsIgnoringCase(bytes, parameter.name, "error"),
                ASCII.equals(bytes, parameter.value, error)
            {
                return true
            }
        }
        return false
    }
}
