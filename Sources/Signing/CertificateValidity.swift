/// From when until when a certificate is good (RFC 5280 section 4.1.2.5), both included, in seconds since 1970.
package struct CertificateValidity: Sendable, Equatable {
    package let notBefore: Int64
    package let notAfter: Int64
}
