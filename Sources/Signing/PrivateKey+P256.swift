private import COpenSSL

/// Keys on the curve P-256: generating them, and their public half.
extension PrivateKey {
    /// The two coordinates of a public key, 32 bytes each (RFC 7518 section 6.2.1).
    package struct PublicPoint: Sendable, Equatable {
        package let x: [UInt8]
        package let y: [UInt8]
    }

    // SAFETY: key and BIO are of this call and freed at its end; the array is lent, and no more is read than it has bytes.
    /// A new key as PEM.
    package static func makeP256() -> String {
        guard let key = unsafe attache_p256_key(), let output = unsafe BIO_new(BIO_s_mem()) else {
            preconditionFailure("OpenSSL cannot make a key")
        }
        defer {
            unsafe EVP_PKEY_free(key)
            unsafe BIO_free(output)
        }
        var text = [UInt8](repeating: 0, count: 1024)
        let isWritten = unsafe PEM_write_bio_PKCS8PrivateKey(output, key, nil, nil, 0, nil, nil) == 1
        let count = unsafe BIO_read(output, &text, Int32(text.count))
        precondition(isWritten && count > 0, "OpenSSL cannot write a key")
        return String(decoding: text[..<Int(count)], as: UTF8.self)
    }

    // SAFETY: the key is lent to calls only, by its owner.
    /// The public key of a key on P-256; nil for any other key.
    package var publicPoint: PublicPoint? {
        guard kind == .p256 else { return nil }
        return unsafe PublicPoint(x: Self.coordinate("qx", of: key), y: Self.coordinate("qy", of: key))
    }

    // SAFETY: the caller owns the key; the number is of this call and written to the array's 32 bytes, padded.
    private static func coordinate(_ name: String, of key: OpaquePointer) -> [UInt8] {
        var number: OpaquePointer?
        var bytes = [UInt8](repeating: 0, count: 32)
        let isRead = unsafe EVP_PKEY_get_bn_param(key, name, &number) == 1
        defer { unsafe BN_free(number) }
        precondition(unsafe isRead && BN_bn2binpad(number, &bytes, 32) == 32, "OpenSSL cannot return a public key")
        return bytes
    }
}
