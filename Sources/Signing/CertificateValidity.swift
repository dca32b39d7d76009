/// The validity period of a certificate (RFC 5280 section 4.1.2.5), both ends included, in seconds since 1970.
package struct CertificateValidity: Sendable, Equatable {
    package let notBefore: Int64
    package let notAfter: Int64
}
