import COpenSSL

/// One entry of OpenSSL's error queue, which belongs to the thread.
struct OpenSSLError {
    /// An `SSL_R_` number, 0 if the queue was empty.
    let reason: Int32
    let words: String

    /// Takes the first entry, which is the cause, and drops the rest.
    static func take() -> OpenSSLError {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0 else { return OpenSSLError(reason: 0, words: "no reason given") }
        // SAFETY: the text is a static string.
        let words = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) }
        return OpenSSLError(reason: ERR_GET_REASON(code), words: words ?? "error \(code)")
    }

    /// Whether the last call found no more PEM, rather than PEM that is cut or damaged.
    static var isEndOfPEM: Bool {
        let code = ERR_peek_last_error()
        return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE
    }

    /// Empties the queue, so that an older error is not taken for the next call's.
    static func clear() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }
}
