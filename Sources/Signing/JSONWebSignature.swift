/// The compact form of a JSON Web Signature (RFC 7515 section 7.1): header, payload and signature with dots between.
package enum JSONWebSignature {
    /// A signature with a private key.
    ///
    /// - Parameters:
    ///   - header: The protected header, JSON in UTF-8; its `alg` must be the algorithm's name.
    ///   - payload: The payload's bytes.
    ///   - key: The key.
    ///   - algorithm: The signature algorithm.
    /// - Returns: The three parts.
    /// - Throws: `PrivateKeyProblem` if the algorithm does not fit the key.
    package static func compact(
        header: [UInt8], payload: [UInt8], key: borrowing PrivateKey, _ algorithm: SignatureAlgorithm
    ) throws(PrivateKeyProblem) -> String {
        let input = signingInput(header, payload)
        return input + "." + Base64URL.encode(try key.signature(of: Array(input.utf8), algorithm))
    }

    /// A signature with a shared secret, by HS256.
    package static func compact(header: [UInt8], payload: [UInt8], secret: [UInt8]) -> String {
        let input = signingInput(header, payload)
        return input + "." + Base64URL.encode(HMACSHA256.code(of: Array(input.utf8), key: secret))
    }

    private static func signingInput(_ header: [UInt8], _ payload: [UInt8]) -> String {
        Base64URL.encode(header) + "." + Base64URL.encode(payload)
    }
}

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
