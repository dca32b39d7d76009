private import COpenSSL

/// The certificates of a CA file, checked for what a person should know.
package enum TrustAnchors {
    /// Whether a PEM text has certificates, and each of them was issued by another one.
    ///
    /// OpenSSL trusts a chain only up to a self-signed certificate, so with such a text alone it trusts no chain.
    package static func lackRoot(pem: [UInt8]) -> Bool {
        ERR_clear_error()
        defer { ERR_clear_error() }
        var count = 0
        // SAFETY: OpenSSL reads the array's bytes while it is lent, and the BIO is freed before that ends; each
        // certificate is freed after its use.
        return unsafe pem.withUnsafeBytes { bytes in
            guard let input = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return false }
            defer { unsafe BIO_free(input) }
            while let certificate = unsafe attache_pem_certificate(input) {
                defer { unsafe X509_free(certificate) }
                if unsafe X509_self_signed(certificate, 0) == 1 { return false }
                count += 1
            }
            return count > 0
        }
    }
}
