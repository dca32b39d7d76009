private import COpenSSL

/// Unpredictable random bytes from OpenSSL's generator.
package enum SecureRandom {
    /// Returns `count` bytes.
    package static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // SAFETY: the array is lent for the call, which writes as many bytes as it has.
        let result = unsafe RAND_bytes(&bytes, Int32(count))
        precondition(result == 1, "OpenSSL has no random bytes")
        return bytes
    }
}
