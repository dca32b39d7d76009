/// Percent-encodes everything but RFC 3986's unreserved characters, which is correct in a form, in a path and in
/// Basic.
///
/// A space becomes %20 and not "+". Both mean a space in a form, but servers that decode Basic credentials as URI
/// components understand only %20.
package enum FormEncoding {
    /// One encoded text.
    package static func percentEncoded(_ text: String) -> String {
        var encoded = ""
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                encoded.append("%")
                encoded.unicodeScalars.append(digit(byte >> 4))
                encoded.unicodeScalars.append(digit(byte & 15))
            }
        }
        return encoded
    }

    /// A whole form, its fields in the order given.
    package static func form(_ fields: [TokenParameter]) -> [UInt8] {
        let pairs = fields.map { percentEncoded($0.name) + "=" + percentEncoded($0.value) }
        return Array(pairs.joined(separator: "&").utf8)
    }

    private static func digit(_ value: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10)
    }
}
