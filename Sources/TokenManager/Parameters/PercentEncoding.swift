/// Percent-encoding in a URI from another source (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// Whether a percent sign is not followed by two hexadecimal digits.
    package static func isBroken(_ text: String) -> Bool {
        var rest = text.utf8[...]
        while let sign = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[rest.index(after: sign)...]
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy(isHexadecimal) else { return true }
            rest = rest.dropFirst(2)
        }
        return false
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }
}
