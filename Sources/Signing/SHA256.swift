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
