/// Recognises the names of the fields that frame a message, byte by byte.
struct FramingName: Sendable {
    private static let length = "content-length"
    private static let coding = "transfer-encoding"

    private var count = 0
    private var mayBeLength = true
    private var mayBeCoding = true

    /// Whether the bytes so far are the whole name of such a field.
    var isFraming: Bool {
        (mayBeLength && count == Self.length.utf8.count) || (mayBeCoding && count == Self.coding.utf8.count)
    }

    mutating func append(_ byte: UInt8) {
        mayBeLength = mayBeLength && Self.isByte(byte, at: count, of: Self.length)
        mayBeCoding = mayBeCoding && Self.isByte(byte, at: count, of: Self.coding)
        count += 1
    }

    private static func isByte(_ byte: UInt8, at index: Int, of name: String) -> Bool {
        index < name.utf8.count && name.utf8.span[index] == ASCII.lowercased(byte)
    }
}
