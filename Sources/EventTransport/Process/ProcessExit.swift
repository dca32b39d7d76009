import COpenSSL

/// What happens when the process ends.
package enum ProcessExit {
    /// Keeps OpenSSL from freeing its state when the process exits.
    ///
    /// Its exit handler would free memory that other threads still use. Called before any other use of OpenSSL.
    package static func keepOpenSSL() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }
}
