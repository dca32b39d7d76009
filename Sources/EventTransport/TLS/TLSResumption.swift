import COpenSSL

// SAFETY: holds one reference to the SSL_SESSION, which deinit gives back.
/// A session that a server issued, offered at the next connection to that server.
///
/// It is a copy, and so is what it offers: OpenSSL makes the session of a connection that breaks, even if only
/// close_notify is missing, unfit for resumption.
@safe
final class TLSResumption {
    private let session: OpaquePointer

    /// Nil if there is no memory for a copy.
    init?(copying issued: OpaquePointer) {
        guard let session = unsafe SSL_SESSION_dup(issued) else { return nil }
        unsafe self.session = session
    }

    deinit { unsafe SSL_SESSION_free(session) }

    func offer(on ssl: OpaquePointer) {
        guard let copy = unsafe SSL_SESSION_dup(session) else { return }
        unsafe _ = SSL_set_session(ssl, copy)
        unsafe SSL_SESSION_free(copy)
    }
}
