private import COpenSSL

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
