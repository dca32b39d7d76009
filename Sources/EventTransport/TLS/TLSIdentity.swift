import COpenSSL

/// A client's certificate for a server that asks for one: the chain and its key, both in PEM; no description shows
/// the key.
package struct TLSIdentity: Sendable, CustomStringConvertible, CustomReflectable {
    private let chain: [UInt8]
    private let privateKey: [UInt8]

    /// - Parameters:
    ///   - chain: The certificate, followed by the intermediate certificates up to the authority.
    ///   - privateKey: Its private key, unencrypted.
    package init(chain: String, privateKey: String) {
        self.chain = Array(chain.utf8)
        self.privateKey = Array(privateKey.utf8)
    }

    package var description: String { "<identity>" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    // SAFETY: the bytes are lent to OpenSSL while it reads them, and each BIO is freed before they are. What is
    // parsed is freed here, except the certificates that are given to the context.
    /// Makes a context's connections present the certificate.
    func install(in context: OpaquePointer) throws(TransportError) {
        OpenSSLError.clear()
        let problem = unsafe chain.withUnsafeBytes { chain in
            unsafe privateKey.withUnsafeBytes { key in
                unsafe Self.useChain(chain, context) ?? Self.useKey(key, context)
            }
        }
        OpenSSLError.clear()
        guard let problem else { return }
        throw TransportError(
            .tlsConfiguration,
            "cannot use the client certificate: \(problem); "
                + "tls.clientCertificate and tls.clientKey must be complete and unencrypted PEM, and belong together")
    }

    // SAFETY: as above.
    /// - Returns: The reason why it is unusable.
    private static func useChain(_ bytes: UnsafeRawBufferPointer, _ context: OpaquePointer) -> String? {
        guard let input = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return reason }
        defer { unsafe BIO_free(input) }
        guard let leaf = unsafe attache_pem_certificate(input) else { return reason }
        defer { unsafe X509_free(leaf) }
        guard unsafe SSL_CTX_use_certificate(context, leaf) == 1 else { return reason }
        while let issuer = unsafe attache_pem_certificate(input) {
            guard unsafe attache_ssl_ctx_add_chain_certificate(context, issuer) == 1 else {
                unsafe X509_free(issuer)
                return reason
            }
        }
        guard OpenSSLError.isEndOfPEM else { return "the certificate chain is incomplete" }
        // The end of the chain is an error in the queue too, which must not be taken for the key's.
        OpenSSLError.clear()
        return nil
    }

    // SAFETY: as above.
    /// - Returns: The reason why it is unusable.
    private static func useKey(_ bytes: UnsafeRawBufferPointer, _ context: OpaquePointer) -> String? {
        guard let input = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return reason }
        defer { unsafe BIO_free(input) }
        guard let key = unsafe attache_pem_private_key(input) else { return reason }
        defer { unsafe EVP_PKEY_free(key) }
        guard unsafe SSL_CTX_use_PrivateKey(context, key) == 1, unsafe SSL_CTX_check_private_key(context) == 1 else {
            return reason
        }
        return nil
    }

    private static var reason: String { OpenSSLError.take().words }
}

extension StreamConnection {
    /// When the peer's own certificate expires, in seconds since 1970; nil on a plain connection.
    package var peerCertificateEnd: Int64? { wire.tls?.peerCertificateEnd }
}
