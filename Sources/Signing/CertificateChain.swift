private import COpenSSL

/// The X.509 certificates in a PEM text, the holder's own first; plain values without a handle of OpenSSL.
package struct CertificateChain: Sendable, Equatable {
    /// The text has no certificate, or one cannot be read, as in a half-written file.
    package struct Unreadable: Error, Equatable, Sendable {}

    /// The longest chain that is read.
    private static let mostCertificates = 16

    /// The certificates in DER, at least one.
    package let certificates: [[UInt8]]
    /// The subject's common name, if it has one that can be read as text.
    package let commonName: String?
    /// The validity period of the holder's own certificate; nil if it cannot be read.
    package let validity: CertificateValidity?

    /// Reads all certificates of a PEM text.
    package init(pem: [UInt8]) throws(Unreadable) {
        ERR_clear_error()
        defer { ERR_clear_error() }
        var certificates: [[UInt8]] = []
        var commonName: String?
        var validity: CertificateValidity?
        var isWhole = true
        // SAFETY: OpenSSL reads the array's bytes while it is lent, and the BIO is freed before that ends; each
        // certificate is freed after its use.
        unsafe pem.withUnsafeBytes { bytes in
            guard let input = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return }
            defer { unsafe BIO_free(input) }
            while certificates.count < Self.mostCertificates,
                let certificate = unsafe attache_pem_certificate(input)
            {
                defer { unsafe X509_free(certificate) }
                if certificates.isEmpty {
                    commonName = unsafe Self.commonName(of: certificate)
                    validity = unsafe Self.validity(of: certificate)
                }
                certificates.append(unsafe Self.der(certificate))
            }
            let code = ERR_peek_last_error()
            let isAtEnd = ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE
            isWhole = isAtEnd || certificates.count == Self.mostCertificates
        }
        guard !certificates.isEmpty, isWhole else { throw Unreadable() }
        self.certificates = certificates
        self.commonName = commonName
        self.validity = validity
    }

    /// The holder's own certificate in DER.
    package var leaf: [UInt8] { certificates[0] }

    /// The thumbprint for `x5t#S256` (RFC 7515 section 4.1.8).
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

    // SAFETY: the caller owns the certificate, to which both times belong.
    private static func validity(of certificate: OpaquePointer) -> CertificateValidity? {
        guard let start = unsafe seconds(X509_get0_notBefore(certificate)),
            let end = unsafe seconds(X509_get0_notAfter(certificate))
        else { return nil }
        return CertificateValidity(notBefore: start, notAfter: end)
    }

    // SAFETY: OpenSSL reads the caller's time, and writes two numbers; the time of 1970 is freed here.
    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        guard let time = unsafe time, let epoch = unsafe ASN1_TIME_set(nil, 0) else { return nil }
        defer { unsafe ASN1_STRING_free(epoch) }
        var (days, seconds): (Int32, Int32) = (0, 0)
        guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}

/// The validity period of a certificate (RFC 5280 section 4.1.2.5), both ends included, in seconds since 1970.
package struct CertificateValidity: Sendable, Equatable {
    package let notBefore: Int64
    package let notAfter: Int64

    package init(notBefore: Int64, notAfter: Int64) {
        self.notBefore = notBefore
        self.notAfter = notAfter
    }
}
