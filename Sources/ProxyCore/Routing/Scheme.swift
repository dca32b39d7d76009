/// The scheme of an origin: whether the connection to it is plain or TLS.
package enum Scheme: String, Equatable, Hashable, Sendable {
    case http
    case https

    /// The port that an address of this scheme means when it names none (RFC 9110 section 4.2).
    package var defaultPort: UInt16 {
        switch self {
        case .http: 80
        case .https: 443
        }
    }
}
