/// The two schemes of requests and origins: plain, and TLS (RFC 9110 section 4.2).
package enum Scheme: String, Equatable, Hashable, Sendable {
    case http
    case https

    /// The default port of the scheme (RFC 9110 section 4.2).
    package var defaultPort: UInt16 {
        switch self {
        case .http: 80
        case .https: 443
        }
    }
}
