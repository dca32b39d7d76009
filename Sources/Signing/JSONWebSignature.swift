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
    /// - Throws: `PrivateKeyProblem` if the algorithm does not fit the key, or OpenSSL cannot sign with it.
    package static func compact(
        header: [UInt8], payload: [UInt8], key: borrowing PrivateKey, _ algorithm: SignatureAlgorithm
    ) throws(PrivateKeyProblem) -> String {
        try compact(encodedHeader: Base64URL.encode(header), payload: payload, key: key, algorithm)
    }

    /// The same with a header in base64url, for one that many signatures share.
    package static func compact(
        encodedHeader: String, payload: [UInt8], key: borrowing PrivateKey, _ algorithm: SignatureAlgorithm
    ) throws(PrivateKeyProblem) -> String {
        let input = encodedHeader + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(try key.signature(of: Array(input.utf8), algorithm))
    }

    /// A signature with a shared secret, by HS256.
    package static func compact(header: [UInt8], payload: [UInt8], secret: [UInt8]) -> String {
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(HMACSHA256.code(of: Array(input.utf8), key: secret))
    }
}

/// Base64 with the alphabet for URLs and file names and without padding (RFC 4648 section 5, RFC 7515 section 2).
package enum Base64URL {
    private static let alphabet = Letters("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    /// The bytes as text.
    package static func encode(_ bytes: [UInt8]) -> String { alphabet.encode(bytes) }
}

/// Base64 as in `x5c`: the standard alphabet, with padding (RFC 7515 section 4.1.6).
package enum Base64 {
    private static let alphabet = Letters("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

    /// The bytes as text.
    package static func encode(_ bytes: [UInt8]) -> String {
        let text = alphabet.encode(bytes)
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }
}

/// The letters of the numbers 0 to 63.
private struct Letters {
    private let letters: InlineArray<64, UInt8>

    init(_ text: String) {
        let text = Array(text.utf8)
        letters = InlineArray { text[$0] }
    }

    func encode(_ bytes: [UInt8]) -> String {
        let size = (bytes.count * 4 + 2) / 3
        // SAFETY: every three bytes take four letters, and the last one or two take a letter more than they are: together
        // `size`, written from the first on.
        return unsafe String(unsafeUninitializedCapacity: size) { text in
            var written = 0
            func write(_ number: Int) {
                // Masked, so that the compiler knows that the letter exists.
                unsafe text.initializeElement(at: written, to: letters[number & 63])
                written += 1
            }
            for start in stride(from: 0, to: bytes.count - 2, by: 3) {
                let group = Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
                write(group >> 18)
                write(group >> 12)
                write(group >> 6)
                write(group)
            }
            switch bytes.count % 3 {
            case 1:
                let last = Int(bytes[bytes.count - 1])
                write(last >> 2)
                write(last << 4)
            case 2:
                let last = Int(bytes[bytes.count - 2]) << 8 | Int(bytes[bytes.count - 1])
                write(last >> 10)
                write(last >> 4)
                write(last << 2)
            default: break
            }
            return written
        }
    }
}
