import HTTPWire
import TokenManager

extension TokenChallenge {
    /// The parameters that say what a backend demands; others may repeat the token.
    private static let shownParameters = ["realm", "error", "scope"]
    /// The longest scheme or value that is shown, in characters.
    private static let longestShown = 100

    /// The challenges of a field value for a person: each scheme with its realm, error code and scope, in plain ASCII.
    ///
    /// - Parameters:
    ///   - value: The value of `WWW-Authenticate`.
    ///   - hidden: The credential that was sent. A scheme or parameter that contains a part of it is left out.
    /// - Returns: The summary; nil if nothing can be shown.
    package static func summary(of value: [UInt8], hiding hidden: [String]) -> String? {
        let bytes = value.span
        var elements = ChallengeElements(ByteRange(0, bytes.count))
        var challenges: [(scheme: String, parameters: [String])] = []
        while let element = elements.next(in: bytes) {
            var parameter = ChallengeParameter(element, in: bytes)
            if parameter == nil {
                let scheme = ChallengeParameter.token(at: element.lowerBound, before: element.upperBound, in: bytes)
                challenges.append((shown(scheme, in: bytes, hiding: hidden) ?? "…", []))
                parameter = ChallengeParameter(ByteRange(scheme.upperBound, element.upperBound), in: bytes)
            }
            guard let parameter, !challenges.isEmpty,
                let name = shownParameters.first(where: { ASCII.equalsIgnoringCase(bytes, parameter.name, $0) }),
                let text = shown(parameter.value, in: bytes, hiding: hidden)
            else { continue }
            challenges[challenges.count - 1].parameters.append("\(name)=\"\(text)\"")
        }
        let texts = challenges.map { challenge in
            ([challenge.scheme] + [challenge.parameters.joined(separator: ", ")]).filter { !$0.isEmpty }
                .joined(separator: " ")
        }
        let summary = texts.joined(separator: ", ")
        return summary.isEmpty ? nil : summary
    }

    /// The plain ASCII characters of a range; nil if there are none, or if they contain a part of a secret.
    private static func shown(_ range: ByteRange, in bytes: Span<UInt8>, hiding hidden: [String]) -> String? {
        var plain: [UInt8] = []
        for index in range.lowerBound..<range.upperBound {
            let byte = bytes[index]
            guard (0x20...0x7e).contains(byte), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { continue }
            plain.append(byte)
        }
        let text = String(decoding: plain, as: UTF8.self)
        guard !text.isEmpty, !ErrorDescription.holdsPart(of: hidden, text) else { return nil }
        return text.utf8.count > longestShown ? "\(text.prefix(longestShown))…" : text
    }
}
