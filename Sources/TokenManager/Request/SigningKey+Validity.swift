import Signing

extension SigningKey {
    /// From when until when a certificate in PEM is good, in seconds since 1970; nil if there is none that says it.
    package static func validity(certificate: String) -> (notBefore: Int64, notAfter: Int64)? {
        (try? CertificateChain(pem: Array(certificate.utf8)))?.validity.map { ($0.notBefore, $0.notAfter) }
    }
}

extension SigningKey {
    /// Whether a PEM text of certificate authorities holds intermediate ones only, which nothing is trusted by.
    package static func lacksRoot(authorities: [UInt8]) -> Bool { TrustAnchors.lackRoot(pem: authorities) }
}
