import Glibc

/// Why an operation of the transport failed.
///
/// `message` is for a person: what failed, where, why in the words of errno or OpenSSL, and what to do. It never
/// contains bytes of a stream.
package struct TransportError: Error, Equatable, CustomStringConvertible, Sendable {
    package enum Kind: Equatable, Sendable {
        /// The name has no address, or no name server answered.
        case resolution
        /// Too many names chosen by apps are being looked up.
        case tooManyLookups
        /// No process listens on the port.
        case refused
        /// No route, network or host.
        case unreachable
        /// The peer reset the connection.
        case reset
        case timedOut
        /// A TLS stream ended without close_notify: the received bytes may be incomplete.
        case truncated
        case tlsHandshake
        /// The peer's certificate is not trusted, expired or for another name.
        case tlsVerification
        /// Attaché's own TLS settings are wrong, such as an unreadable CA file.
        case tlsConfiguration
        case addressInUse
        case permission
        /// No descriptor is left in the process or the system.
        case descriptorLimit
        /// The name has only addresses that the target refuses.
        case forbiddenAddress
        /// The name leads to a listener of this process.
        case ownListener
        /// The parent proxy opened no tunnel.
        case parentRefused
        /// Any other error from the system; see `errno`.
        case system
    }

    package let kind: Kind
    package let message: String
    /// The system's errno; 0 if there is none.
    package let errno: Int32
    /// Whether the parent proxy failed, not the server behind it.
    package internal(set) var concernsParent = false

    package init(_ kind: Kind, _ message: String, errno: Int32 = 0) {
        self.kind = kind
        self.message = message
        self.errno = errno
    }

    package var description: String { message }
}

extension TransportError {
    /// The error for a target that refuses all of its addresses.
    package init(forbidding addresses: [IPAddress], of target: Connector.Target) {
        let list = addresses.map { "\($0) (\($0.kind))" }.joined(separator: ", ")
        self.init(
            .forbiddenAddress,
            "\(target.authority) is at \(list), and only the upstream of a route may have such an address; if you trust it, "
                + "add its addresses to allowAddresses, or ask for an http:// URL that a route takes")
    }

    /// The error for a target that is a listener of this process.
    init(leadingBackTo address: SocketAddress, from target: Connector.Target) {
        let named = target.peerAuthority
        let place = "\(address)" == named ? named : "\(named) is at \(address), which"
        self.init(
            .ownListener,
            "\(place) is a listener of this attache, and attache sends no request to itself; write the address of the server, "
                + "not of its proxy")
    }
}

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
