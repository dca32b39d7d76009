import COpenSSL
import Glibc

// SAFETY: names are lent for the calls, and the SSL_CTX lives as long as its context, which the caller holds.
/// Where the system keeps its trusted certificate authorities.
enum CertificateAuthorities {
    /// The bundles of Debian and Alpine, Red Hat, SUSE.
    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    ]

    /// Trusts the authorities in the file; `key` is the setting that names it, for the message.
    private static func load(_ file: String, into context: TLSContext, named key: String) throws(TransportError) {
        let unreadable = "cannot read the certificate authorities of \(key), \(file)"
        guard unsafe access(file, R_OK) == 0 else {
            let error = TransportError(system: errno, unreadable)
            throw TransportError(.tlsConfiguration, error.message, errno: error.errno)
        }
        guard unsafe SSL_CTX_load_verify_file(context.context, file) == 1 else {
            throw TransportError(
                .tlsConfiguration, "\(unreadable): \(OpenSSLError.take().words); a PEM file of certificates is needed")
        }
    }

    static func loadSystem(into context: TLSContext) throws(TransportError) {
        if let named = unsafe getenv("SSL_CERT_FILE") {
            return try load(unsafe String(cString: named), into: context, named: "SSL_CERT_FILE")
        }
        for bundle in bundles where unsafe access(bundle, R_OK) == 0 {
            return try load(bundle, into: context, named: "the system")
        }
        _ = unsafe SSL_CTX_set_default_verify_paths(context.context)
    }
}
