/// The form of a resource by RFC 8707 section 2: a URI with a scheme (RFC 3986 section 4.3) and without a fragment.
enum AbsoluteURI {
    static func matches(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = text.utf8[..<colon]
        let rest = text.utf8[colon...].dropFirst()
        guard let first = scheme.first, isLetter(first), scheme.allSatisfy(isOfScheme), !rest.isEmpty else {
            return false
        }
        return rest.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }

    private static func isOfScheme(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: isLetter(byte)
        }
    }
}
