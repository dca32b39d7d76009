/// The relevant fields of a token server's JSON (RFC 6749 sections 5.1 and 5.2), each read on its own.
///
/// A field of a wrong type is kept as such, so that the message can name it; null counts as absent.
struct TokenFields: Decodable, CustomStringConvertible, CustomReflectable {
    /// A text, or the fact that the field has another type.
    struct Text: Decodable, CustomStringConvertible, CustomReflectable {
        let text: String?

        var description: String { "<redacted>" }
        var customMirror: Mirror { Mirror(self, children: []) }

        init(from decoder: any Decoder) throws {
            text = try? decoder.singleValueContainer().decode(String.self)
        }
    }

    let accessToken: Text?
    let tokenType: Text?
    let expiresIn: LenientNumber?
    let refreshToken: Text?
    let error: Text?
    let errorDescription: Text?
    /// GitHub's names for the token, its end and the reason of a refusal.
    let token: Text?
    let expiresAt: Text?
    let message: Text?

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case refreshToken = "refresh_token"
        case error
        case errorDescription = "error_description"
        case token
        case expiresAt = "expires_at"
        case message
    }
}

/// A number, or a text that holds one, because `expires_in` comes in both forms.
///
/// Any other value is nil; nothing traps.
package struct LenientNumber: Decodable, Sendable, Equatable {
    /// The number; finite.
    package let value: Double?

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Double.self) {
            value = number.isFinite ? number : nil
        } else if let text = try? container.decode(String.self) {
            value = Self.number(text)
        } else {
            value = nil
        }
    }

    /// Accepts digits with at most one point and a sign; `Double` would also accept "nan", "inf" and hexadecimal.
    private static func number(_ text: String) -> Double? {
        guard text.utf8.count <= 32, !text.isEmpty,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") })
        else { return nil }
        return Double(text)
    }
}
