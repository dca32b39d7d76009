/// Base64 with the alphabet for URLs and file names and without padding (RFC 4648 section 5, RFC 7515 section 2).
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The bytes as text.
    package static func encode(_ bytes: [UInt8]) -> String { encode(bytes, alphabet) }

    static func encode(_ bytes: [UInt8], _ alphabet: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var pending: UInt32 = 0
        var bits = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(pending >> UInt32(bits)) & 63])
            }
        }
        if bits > 0 { text.append(alphabet[Int(pending << UInt32(6 - bits)) & 63]) }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Base64 as in `x5c`: the standard alphabet, with padding (RFC 7515 section 4.1.6).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The bytes as text.
    package static func encode(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes, alphabet)
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }
}
