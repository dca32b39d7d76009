package import HTTPWire

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
