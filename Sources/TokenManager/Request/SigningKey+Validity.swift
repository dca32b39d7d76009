import Signing

extension SigningKey {
    /// The validity period of a certificate in PEM, in seconds since 1970; nil if the text holds no certificate with
    /// one.
    package static func validity(certificate: String) -> (notBefore: Int64, notAfter: Int64)? {
        (try? CertificateChain(pem: Array(certificate.utf8)))?.validity.map { ($0.notBefore, $0.notAfter) }
    }
}

extension SigningKey {
    /// Whether a PEM text of certificate authorities holds only intermediate ones, which make no certificate trusted.
    package static func lacksRoot(authorities: [UInt8]) -> Bool { TrustAnchors.lackRoot(pem: authorities) }
}
