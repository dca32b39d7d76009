import COpenSSL

// SAFETY: the SSL_CTX is made in init and freed in deinit; every TLSSession holds its context.
/// The part that the TLS connections of one loop share: the trusted authorities, and the sessions to resume.
///
/// Client side only. Confined to the loop's thread. TLS 1.2 or later; the peer's chain and name are always verified.
/// The system's certificate authorities are read when the first connection needs them.
@safe
package final class TLSContext {
    /// The number of sessions kept, one for each server; beyond it all are dropped, and each server needs a full
    /// handshake again.
    private static let sessionLimit = 256
    private static let protocols: [UInt8] = [8] + Array("http/1.1".utf8)

    let context: OpaquePointer
    private var systemTrustIsMissing: Bool
    private var sessions: [String: TLSResumption] = [:]

    /// - Parameters:
    ///   - authorities: The authorities to trust instead of the system's.
    ///   - identity: The certificate for servers that ask for one.
    /// - Throws: `.tlsConfiguration` if the authorities' file holds no certificate, or the identity is unusable.
    package init(trusting authorities: TrustedAuthorities?, identity: TLSIdentity? = nil) throws(TransportError) {
        Signals.ignoreFailedWrites()
        guard let context = unsafe SSL_CTX_new(TLS_client_method()) else {
            throw TransportError(.tlsConfiguration, "cannot set up TLS: \(OpenSSLError.take().words)")
        }
        unsafe self.context = context
        systemTrustIsMissing = authorities == nil
        unsafe attache_ssl_ctx_require_tls12(context)
        unsafe attache_ssl_ctx_stream_mode(context)
        unsafe attache_ssl_ctx_client_sessions(context, sessionIssued)
        _ = unsafe SSL_CTX_set_alpn_protos(context, Self.protocols, UInt32(Self.protocols.count))
        try unsafe authorities?.install(in: context)
        try unsafe identity?.install(in: context)
    }

    deinit { unsafe SSL_CTX_free(context) }

    /// A session for a socket that has just connected; the caller keeps the socket.
    ///
    /// `authority` is `host:port`, for messages and for resumption. The certificate must be for `serverName`, which
    /// is also sent as SNI unless it is an IP address.
    func session(descriptor: Int32, authority: String, serverName: String) throws(TransportError) -> TLSSession {
        if systemTrustIsMissing {
            try CertificateAuthorities.loadSystem(into: self)
            systemTrustIsMissing = false
        }
        return try TLSSession(
            self, descriptor: descriptor, authority: authority, serverName: serverName)
    }

    func resumption(for key: String) -> TLSResumption? { sessions[key] }

    func keep(_ resumption: TLSResumption, for key: String) {
        if sessions.count >= Self.sessionLimit, sessions[key] == nil { sessions.removeAll() }
        sessions[key] = resumption
    }

    func forget(_ key: String) { sessions[key] = nil }
}

// SAFETY: slot 0 holds the TLSSession that owns `ssl` and is on the stack, in a call to OpenSSL.
/// Called by OpenSSL for every session or ticket that a server issues.
private func sessionIssued(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
    guard let ssl = unsafe ssl, let session = unsafe session, let owner = unsafe SSL_get_ex_data(ssl, 0) else {
        return 0
    }
    if let resumption = unsafe TLSResumption(copying: session) {
        unsafe Unmanaged<TLSSession>.fromOpaque(owner).takeUnretainedValue().issued(resumption)
    }
    return 0
}
