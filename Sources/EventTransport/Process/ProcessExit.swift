import COpenSSL

/// What happens when the process ends.
package enum ProcessExit {
    /// Lets OpenSSL stay as it is until the process has ended.
    ///
    /// By default an exit handler frees what OpenSSL holds, also under a thread that still uses it. Called before any other
    /// use of OpenSSL, on any thread.
    package static func keepOpenSSL() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }
}
