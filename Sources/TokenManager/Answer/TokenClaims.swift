import FoundationEssentials
import HTTPWire

/// The content of a JWT for a person to read; it is not verified, and its signature is left out.
package struct TokenClaims: Sendable, Equatable {
    /// One claim with its value as JSON; the name has JSON's escapes too.
    package struct Claim: Sendable, Equatable {
        package let name: String
        package let text: String
        /// Seconds since 1970, if the claim is a time (RFC 7519 section 4.1).
        package let time: Double?
    }

    /// The `alg` of its header.
    package let algorithm: String
    /// The claims in the order of their names.
    package let claims: [Claim]

    /// The deepest nesting that is read: a person reads no more, and the decoder's time grows with the third power of
    /// the depth.
    package static let mostLevels = 16

    private static let times = ["auth_time", "exp", "iat", "nbf", "updated_at"]

    /// Nil if the text is not a JWT with a readable header and payload, or if one of them is nested deeper than
    /// `mostLevels`.
    package init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, case .object(let header)? = Self.value(parts[0]),
            case .object(let payload)? = Self.value(parts[1]), case .string(let algorithm)? = header["alg"]
        else { return nil }
        self.algorithm = JSONText.escaped(algorithm[...])
        claims = payload.sorted { $0.key < $1.key }.map { name, value in
            var time: Double?
            if case .number(let seconds) = value, Self.times.contains(name) { time = seconds }
            return Claim(name: JSONText.escaped(name[...]), text: value.text, time: time)
        }
    }

    private static func value(_ part: Substring) -> JSONValue? {
        guard let bytes = JSONWebToken.decoded(part), JSONMembers.isUTF8(Array(bytes)),
            !JSONDepth.exceeds(mostLevels, in: bytes)
        else { return nil }
        return try? JSONDecoder().decode(JSONValue.self, from: bytes)
    }
}
