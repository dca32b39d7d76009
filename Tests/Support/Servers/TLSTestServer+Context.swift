import COpenSSL

/// The SSL_CTX of a test server.
final class TLSTestServerContext: @unchecked Sendable {
    let context: OpaquePointer

    init(_ identity: TestCertificates.Identity, _ version: TLSTestServer.Version?, _ clientCAFile: String?) {
        guard let context = SSL_CTX_new(TLS_server_method()) else { preconditionFailure("no SSL_CTX") }
        self.context = context
        if let version {
            // Before 1.2 only SHA-1 signatures exist, which the default security level refuses.
            if version == .tls11 { SSL_CTX_set_security_level(context, 0) }
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(version.number), nil)
            SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version.number), nil)
        }
        let isUsable =
            SSL_CTX_use_certificate_chain_file(context, identity.certificateFile) == 1
            && SSL_CTX_use_PrivateKey_file(context, identity.keyFile, SSL_FILETYPE_PEM) == 1
        precondition(isUsable, "the test certificate cannot be used")
        if let clientCAFile {
            let isLoaded = SSL_CTX_load_verify_file(context, clientCAFile) == 1
            precondition(isLoaded, "the authority of the clients cannot be used")
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
            // Without a name of its own for them, OpenSSL refuses to resume the sessions of clients that it verifies.
            SSL_CTX_set_session_id_context(context, Array("test".utf8), 4)
        }
        SSL_CTX_set_alpn_select_cb(context, chooseHTTP, nil)
    }

    deinit { SSL_CTX_free(context) }
}

private func chooseHTTP(
    _: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ count: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ offeredCount: UInt32, _: UnsafeMutableRawPointer?
) -> Int32 {
    // "http/1.1" is the first and only offer of the client under test.
    guard let offered, offeredCount == 9, offered[0] == 8 else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    chosen?.pointee = offered + 1
    count?.pointee = 8
    return SSL_TLSEXT_ERR_OK
}
