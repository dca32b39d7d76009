package import HTTPWire
import TokenManager

/// What a backend's challenges say about the token that it received (RFC 9110 section 11.6.1, RFC 6750 section 3).
package enum TokenChallenge {
    /// What a final response's head says about the attached token.
    package enum Verdict: Equatable, Sendable {
        case accepted
        case refused
        /// The response refuses the token if one of these texts is in the first KiB of its body.
        case dependsOnBody([String])
    }

    /// Whether a final response refuses the attached token, by the route's rule.
    package static func verdict(
        of head: borrowing ResponseHead, in bytes: Span<UInt8>, by rule: RefreshRule
    ) -> Verdict {
        switch rule {
        case .never: return .accepted
        case .invalidToken: return head.status == 401 && says("invalid_token", head, in: bytes) ? .refused : .accepted
        case .unauthorized: return head.status == 401 ? .refused : .accepted
        case .conditions(let conditions):
            guard head.status >= 300 else { return .accepted }
            return verdict(of: head, in: bytes, by: conditions)
        }
    }

    private static func verdict(
        of head: borrowing ResponseHead, in bytes: Span<UInt8>, by conditions: [RefusalCondition]
    ) -> Verdict {
        var texts: [String] = []
        for condition in conditions where condition.status == head.status {
            switch condition.evidence {
            case .none: return .refused
            case .field(let name, let text):
                if RefusalCondition.contains(text, inField: name, of: head, bytes) { return .refused }
            case .body(let text): texts.append(text)
            }
        }
        return texts.isEmpty ? .accepted : .dependsOnBody(texts)
    }

    /// Whether a final response refuses the proof because it lacks a nonce (RFC 9449 section 9).
    package static func asksForNonce(_ head: borrowing ResponseHead, in bytes: Span<UInt8>) -> Bool {
        head.status == 401 && says("use_dpop_nonce", head, in: bytes)
    }

    /// The nonce in a response, for later proofs (RFC 9449 section 8.2); nil if it has none, or if several lines
    /// differ.
    package static func nonce(_ head: borrowing ResponseHead, in bytes: Span<UInt8>) -> String? {
        var nonce: String?
        for index in 0..<head.fields.count {
            let field = head.fields[index]
            guard ASCII.equalsIgnoringCase(bytes, field.name, "dpop-nonce") else { continue }
            var copy: [UInt8] = []
            copy.append(copying: bytes, field.value)
            let text = String(decoding: copy, as: UTF8.self)
            guard TokenBinding.isNonce(text), nonce == nil || nonce == text else { return nil }
            nonce = text
        }
        return nonce
    }

    /// Whether one of the challenges in a head is `Bearer` or `DPoP` with this error.
    private static func says(_ error: String, _ head: borrowing ResponseHead, in bytes: Span<UInt8>) -> Bool {
        for index in 0..<head.fields.count {
            let field = head.fields[index]
            guard field.known == .wwwAuthenticate else { continue }
            if says(error, field.value, in: bytes) { return true }
        }
        return false
    }

    /// Whether one of the challenges in a field value is `Bearer` or `DPoP` with this error.
    private static func says(_ error: String, _ value: ByteRange, in bytes: Span<UInt8>) -> Bool {
        var elements = ChallengeElements(value)
        var isTokenScheme = false
        while let element = elements.next(in: bytes) {
            var parameter = ChallengeParameter(element, in: bytes)
            if parameter == nil {
                let scheme = ChallengeParameter.token(at: element.lowerBound, before: element.upperBound, in: bytes)
                let rest = ByteRange(scheme.upperBound, element.upperBound)
                let isScheme = rest.isEmpty || bytes[rest.lowerBound] == ASCII.space
                isTokenScheme =
                    isScheme
                    && (ASCII.equalsIgnoringCase(bytes, scheme, "bearer")
                        || ASCII.equalsIgnoringCase(bytes, scheme, "dpop"))
                parameter = ChallengeParameter(rest, in: bytes)
            }
            guard isTokenScheme, let parameter else { continue }
            if ASCII.equalsIgnoringCase(bytes, parameter.name, "error"), parameter.says(error, in: bytes) {
                return true
            }
        }
        return false
    }
}

extension TokenChallenge {
    /// A refusal's code for the access log: the first error code of its challenges, else the first scheme.
    ///
    /// The backend's own words, unchecked; nil without a challenge.
    package static func code(of head: borrowing ResponseHead, in bytes: Span<UInt8>) -> [UInt8]? {
        var scheme: ByteRange?
        for index in 0..<head.fields.count {
            let field = head.fields[index]
            guard field.known == .wwwAuthenticate else { continue }
            var elements = ChallengeElements(field.value)
            while let element = elements.next(in: bytes) {
                var parameter = ChallengeParameter(element, in: bytes)
                if parameter == nil {
                    let name = ChallengeParameter.token(at: element.lowerBound, before: element.upperBound, in: bytes)
                    if scheme == nil, !name.isEmpty { scheme = name }
                    parameter = ChallengeParameter(ByteRange(name.upperBound, element.upperBound), in: bytes)
                }
                guard let parameter, ASCII.equalsIgnoringCase(bytes, parameter.name, "error") else { continue }
                return parameter.text(in: bytes)
            }
        }
        guard let scheme else { return nil }
        var copy: [UInt8] = []
        copy.append(copying: bytes, scheme)
        return copy
    }
}

extension ChallengeParameter {
    /// The value without the backslashes of a quoted string (RFC 9110 section 5.6.4).
    fileprivate func text(in bytes: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        var index = value.lowerBound
        while index < value.upperBound {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < value.upperBound { index += 1 }
            text.append(bytes[index])
            index += 1
        }
        return text
    }
}
