private import COpenSSL

/// The SHA-256 digest (FIPS 180-4), computed by OpenSSL.
package struct SHA256: Hashable, Sendable {
    /// The length of a digest in bytes.
    package static let byteCount = 32

    /// The digest, 32 bytes.
    package let bytes: [UInt8]

    /// Digests a whole message.
    package init(of message: [UInt8]) {
        var digest = [UInt8](repeating: 0, count: Self.byteCount)
        // SAFETY: both arrays are lent for the call only; OpenSSL reads `message.count` bytes of the first and writes the
        // 32 bytes of a SHA-256 into the second, which has them.
        let result = unsafe EVP_Digest(message, message.count, &digest, nil, EVP_sha256(), nil)
        precondition(result == 1, "OpenSSL cannot compute SHA-256")
        bytes = digest
    }
}

/// The message authentication code of RFC 2104 with SHA-256, computed by OpenSSL.
package enum HMACSHA256 {
    /// The code of a whole message, 32 bytes.
    package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: SHA256.byteCount)
        // SAFETY: the arrays are lent for the call; OpenSSL reads what the counts say and writes the 32 bytes of a
        // SHA-256 code into the third, which has them.
        let result = unsafe HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, nil)
        precondition(unsafe result != nil, "OpenSSL cannot compute HMAC")
        return code
    }
}
