private import COpenSSL

/// X.509 certificates as they stand in a PEM text, the holder's own first; values without a handle of OpenSSL's.
package struct CertificateChain: Sendable, Equatable {
    /// There is no certificate in the text, or one cannot be read.
    package struct Unreadable: Error, Equatable, Sendable {}

    /// No chain is longer.
    private static let mostCertificates = 16

    /// The certificates in DER, at least one.
    package let certificates: [[UInt8]]
    /// The subject's common name, if it has one that can be read as text.
    package let commonName: String?

    /// Reads all certificates of a PEM text.
    package init(pem: [UInt8]) throws(Unreadable) {
        ERR_clear_error()
        defer { ERR_clear_error() }
        var certificates: [[UInt8]] = []
        var commonName: String?
        // SAFETY: OpenSSL reads the array's bytes while it is lent, and the BIO ends before that does; each certificate
        // is freed behind its use.
        unsafe pem.withUnsafeBytes { bytes in
            guard let input = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return }
            defer { unsafe BIO_free(input) }
            while certificates.count < Self.mostCertificates,
                let certificate = unsafe attache_pem_certificate(input)
            {
                defer { unsafe X509_free(certificate) }
                if certificates.isEmpty { commonName = unsafe Self.commonName(of: certificate) }
                certificates.append(unsafe Self.der(certificate))
            }
        }
        guard !certificates.isEmpty else { throw Unreadable() }
        self.certificates = certificates
        self.commonName = commonName
    }

    /// The holder's own certificate in DER.
    package var leaf: [UInt8] { certificates[0] }

    /// The thumbprint that `x5t#S256` carries (RFC 7515 section 4.1.8).
    package var thumbprint: String { Base64URL.encode(SHA256(of: leaf).bytes) }

    // SAFETY: the caller owns the certificate; the first call says how many bytes the second one writes.
    private static func der(_ certificate: OpaquePointer) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(max(unsafe i2d_X509(certificate, nil), 0)))
        unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            var start = bytes.baseAddress
            _ = unsafe i2d_X509(certificate, &start)
        }
        return bytes
    }

    // SAFETY: the caller owns the certificate, to which name and entry belong; OpenSSL allocates the text, and it is freed
    // after it has been copied.
    private static func commonName(of certificate: OpaquePointer) -> String? {
        guard let name = unsafe X509_get_subject_name(certificate) else { return nil }
        let index = unsafe X509_NAME_get_index_by_NID(name, NID_commonName, -1)
        guard index >= 0, let entry = unsafe X509_NAME_get_entry(name, index) else { return nil }
        var text: UnsafeMutablePointer<UInt8>?
        let count = unsafe ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
        guard count > 0, let start = unsafe text else { return nil }
        defer { unsafe CRYPTO_free(start, nil, 0) }
        return unsafe String(validating: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }
}
