import Glibc

extension TransportError {
    /// Makes the error for an errno.
    ///
    /// - Parameters:
    ///   - number: The errno.
    ///   - failed: What could not be done and where, such as `cannot listen on 127.0.0.1:80`.
    ///   - advice: What to do about it, if the caller knows better than the errno's own advice.
    init(system number: Int32, _ failed: String, advice: String? = nil) {
        let advice = (advice ?? Self.advice(number)).map { "; \($0)" } ?? ""
        self.init(Self.kind(number), "\(failed): \(Self.words(number))\(advice)", errno: number)
    }

    private static func kind(_ number: Int32) -> Kind {
        switch number {
        case ECONNREFUSED: .refused
        case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL, EAFNOSUPPORT: .unreachable
        case ECONNRESET, EPIPE, ECONNABORTED: .reset
        case ETIMEDOUT: .timedOut
        case EADDRINUSE: .addressInUse
        case EACCES, EPERM: .permission
        case EMFILE, ENFILE: .descriptorLimit
        default: .system
        }
    }

    private static func advice(_ number: Int32) -> String? {
        switch number {
        case EADDRINUSE: "another process listens there; stop it or choose another port"
        case EMFILE: "raise the limit of open files (ulimit -n) or lower limits.connections"
        default: nil
        }
    }

    private static func words(_ number: Int32) -> String {
        // SAFETY: glibc keeps the text of each thread apart, and it is copied at once.
        unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }
}
