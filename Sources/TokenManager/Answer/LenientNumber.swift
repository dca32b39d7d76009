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
