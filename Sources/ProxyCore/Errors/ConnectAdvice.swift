/// What a client that sent CONNECT has to change, judged by the port that it named.
///
/// Many clients print only the reason phrase of a refused CONNECT, so the advice is in that phrase too.
package enum ConnectAdvice: Equatable, Sendable {
    /// The client asked for an `https://` URL.
    case askForHTTP
    /// The client asked for an `http://` URL already, but opens a tunnel for it.
    case doNotTunnel
    /// The port does not tell whether the client asked for `http://` or `https://`.
    case askForHTTPWithoutTunnel
    /// No route takes the host, so a request without CONNECT would be refused too.
    case addRoute
    /// The operator forbids the destination.
    case goElsewhere

    package init(port: UInt16) {
        switch port {
        case 443: self = .askForHTTP
        case 80: self = .doNotTunnel
        default: self = .askForHTTPWithoutTunnel
        }
    }

    /// The reason phrase: short, and only of bytes that RFC 9112 section 4 allows.
    var reason: StaticString {
        switch self {
        case .askForHTTP: "Ask for http:// not https://"
        case .doNotTunnel: "Send http:// without CONNECT"
        case .askForHTTPWithoutTunnel: "Ask for http:// without CONNECT"
        case .addRoute: "No route for this host"
        case .goElsewhere: "Forbidden by connect.deny"
        }
    }
}
