import COpenSSL
import Glibc

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
    /// Whether it trusts the authorities of a configured file instead of the system's.
    let trustsFile: Bool
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
        trustsFile = authorities != nil
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

// SAFETY: names are lent for the calls, and the SSL_CTX lives as long as its context, which the caller holds.
/// Where the system keeps its trusted certificate authorities.
package enum CertificateAuthorities {
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

    /// Why the system's authorities cannot verify any certificate, and what to do; nil if their file is there.
    package static func systemProblem() -> String? {
        if let named = unsafe getenv("SSL_CERT_FILE") {
            guard unsafe access(named, R_OK) != 0 else { return nil }
            let error = TransportError(
                system: errno, "cannot read the file of certificate authorities that SSL_CERT_FILE names")
            return "\(error.message); correct the variable, or remove it to trust the system's authorities"
        }
        return lacksBundle ? missing : nil
    }

    /// Whether neither a variable nor a file of the system names authorities.
    static var lacksBundle: Bool {
        unsafe getenv("SSL_CERT_FILE") == nil && getenv("SSL_CERT_DIR") == nil
            && bundles.allSatisfy { unsafe access($0, R_OK) != 0 }
    }

    static let missing =
        "the system has no file of certificate authorities (\(bundles[0])); install it (on Debian the package "
        + "ca-certificates), or name a PEM file of authorities in the environment variable SSL_CERT_FILE"

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

/// The certificate authorities of a PEM file, as they were when it was read.
package struct TrustedAuthorities: Hashable, Sendable {
    /// The most bytes that are read, more than any bundle of certificate authorities has.
    private static let byteLimit = 8 << 20
    private static let pieceSize = 65_536

    package let file: String
    private let pem: [UInt8]

    /// Reads the file on the calling thread, which waits for as long as the file system does.
    ///
    /// - Throws: `.tlsConfiguration` if the file cannot be read.
    package init(file: String) throws(TransportError) {
        self.file = file
        // SAFETY: the path is lent for the call.
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.unreadable(file, errno) }
        defer { close(descriptor) }
        var pem: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            // SAFETY: the buffer is lent for the call, which fills at most its size.
            let count = unsafe read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.unreadable(file, errno) }
            guard count > 0 else { break }
            pem += piece[..<count]
            guard pem.count <= Self.byteLimit else { throw Self.unreadable(file, EFBIG) }
        }
        self.pem = pem
    }

    /// Reads the file like `init`, but returns the error, for callers that keep the old authorities.
    package static func reading(_ file: String) -> Result<TrustedAuthorities, TransportError> {
        do throws(TransportError) {
            return .success(try TrustedAuthorities(file: file))
        } catch {
            return .failure(error)
        }
    }

    // SAFETY: the bytes are lent to OpenSSL while it reads them; the store takes a reference of its own to each
    // certificate, and the one made here is given back.
    /// Makes a context's connections trust these authorities and no others.
    func install(in context: OpaquePointer) throws(TransportError) {
        OpenSSLError.clear()
        var count = 0
        let isWhole = unsafe pem.withUnsafeBytes { bytes in
            guard let input = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return false }
            defer { unsafe BIO_free(input) }
            guard let store = unsafe SSL_CTX_get_cert_store(context) else { return false }
            while let certificate = unsafe attache_pem_trusted_certificate(input) {
                defer { unsafe X509_free(certificate) }
                guard unsafe X509_STORE_add_cert(store, certificate) == 1 else { return false }
                count += 1
            }
            return OpenSSLError.isEndOfPEM
        }
        guard !isWhole || count == 0 else { return OpenSSLError.clear() }
        throw TransportError(
            .tlsConfiguration,
            "\(Self.what(file)): \(OpenSSLError.take().words); a PEM file of certificates is needed")
    }

    private static func unreadable(_ file: String, _ number: Int32) -> TransportError {
        let error = TransportError(system: number, what(file))
        return TransportError(.tlsConfiguration, error.message, errno: error.errno)
    }

    private static func what(_ file: String) -> String {
        "cannot read the certificate authorities of tls.caFile, \(file)"
    }
}
