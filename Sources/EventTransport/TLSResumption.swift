import COpenSSL

// SAFETY: holds one reference to the SSL_SESSION, which deinit gives back.
/// A session that a server issued, to be offered when connecting there again.
@safe
final class TLSResumption {
    let session: OpaquePointer

    init(owning session: OpaquePointer) { unsafe self.session = session }

    deinit { unsafe SSL_SESSION_free(session) }
}
