/// The two schemes that a request may name and an origin has: plain, and TLS (RFC 9110 section 4.2).
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
