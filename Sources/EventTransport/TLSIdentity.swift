import COpenSSL

/// What a client shows a server that asks for a certificate: the chain and its key, both in PEM; nothing shows the key.
package struct TLSIdentity: Sendable, CustomStringConvertible, CustomReflectable {
    private let chain: [UInt8]
    private let privateKey: [UInt8]

    /// - Parameters:
    ///   - chain: The certificate, with those between it and the authority behind it.
    ///   - privateKey: Its private key, unencrypted.
    package init(chain: String, privateKey: String) {
        self.chain = Array(chain.utf8)
        self.privateKey = Array(privateKey.utf8)
    }

    package var description: String { "<identity>" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    // SAFETY: the bytes are lent to OpenSSL while it reads them, and each BIO ends before that does. What is parsed is freed
    // here, except the certificates that are given to the context.
    /// Makes a context's connections show it.
    func install(in context: OpaquePointer) throws(TransportError) {
        OpenSSLError.clear()
        let isInstalled = unsafe chain.withUnsafeBytes { chain in
            unsafe privateKey.withUnsafeBytes { key in
                unsafe Self.useChain(chain, context) && Self.useKey(key, context)
                    && SSL_CTX_check_private_key(context) == 1
            }
        }
        guard isInstalled else {
            throw TransportError(
                .tlsConfiguration,
                "cannot use the client certificate: \(OpenSSLError.take().words); "
                    + "tls.clientCertificate and tls.clientKey must be PEM, unencrypted and belong together")
        }
        OpenSSLError.clear()
    }

    // SAFETY: as above.
    private static func useChain(_ bytes: UnsafeRawBufferPointer, _ context: OpaquePointer) -> Bool {
        guard let input = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return false }
        defer { unsafe BIO_free(input) }
        guard let leaf = unsafe attache_pem_certificate(input) else { return false }
        defer { unsafe X509_free(leaf) }
        guard unsafe SSL_CTX_use_certificate(context, leaf) == 1 else { return false }
        while let issuer = unsafe attache_pem_certificate(input) {
            guard unsafe attache_ssl_ctx_add_chain_certificate(context, issuer) == 1 else {
                unsafe X509_free(issuer)
                return false
            }
        }
        return true
    }

    // SAFETY: as above.
    private static func useKey(_ bytes: UnsafeRawBufferPointer, _ context: OpaquePointer) -> Bool {
        guard let input = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return false }
        defer { unsafe BIO_free(input) }
        guard let key = unsafe attache_pem_private_key(input) else { return false }
        defer { unsafe EVP_PKEY_free(key) }
        return unsafe SSL_CTX_use_PrivateKey(context, key) == 1
    }
}
