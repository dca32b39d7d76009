import FoundationEssentials

/// The times in a JWT (RFC 7519 section 4.1); they are not verified, which is up to the recipients of the token.
package struct JSONWebToken: Sendable, Equatable {
    /// `exp`, in seconds since 1970.
    package let expiresAt: Double?
    /// `iat`, in seconds since 1970.
    package let issuedAt: Double?

    private struct Claims: Decodable {
        let exp: LenientNumber?
        let iat: LenientNumber?
    }

    /// Nil if the text is not a JWT with a readable payload.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, let payload = Self.decoded(parts[1]),
            let claims = try? JSONDecoder().decode(Claims.self, from: payload)
        else { return nil }
        expiresAt = claims.exp?.value
        issuedAt = claims.iat?.value
    }

    /// `exp` - `iat` in seconds, if the token has both and they are plausible.
    package var life: Double? {
        guard let expiresAt, let issuedAt, expiresAt > issuedAt else { return nil }
        return expiresAt - issuedAt
    }

    /// The bytes of a part in base64url without padding; nil if it is invalid.
    static func decoded(_ part: Substring) -> Data? {
        guard part.utf8.allSatisfy(isBase64URL) else { return nil }
        var base64 = String(part).replacing("-", with: "+").replacing("_", with: "/")
        while base64.utf8.count % 4 != 0 { base64 += "=" }
        return Data(base64Encoded: base64)
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
