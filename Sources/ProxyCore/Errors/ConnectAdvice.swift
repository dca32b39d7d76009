/// What a client that sent CONNECT has to change, by the port that it named.
///
/// Many clients print nothing of a refused CONNECT but its reason phrase, so the advice stands there too.
package enum ConnectAdvice: Equatable, Sendable {
    /// The client asked for an `https://` URL.
    case askForHTTP
    /// The client asked for an `http://` URL already, and tunnels it nevertheless.
    case doNotTunnel
    /// The port does not tell whether the client asked for `http://` or `https://`.
    case askForHTTPWithoutTunnel
    /// No route takes the host, so that another request for it would be refused too.
    case addRoute

    package init(port: UInt16) {
        switch port {
        case 443: self = .askForHTTP
        case 80: self = .doNotTunnel
        default: self = .askForHTTPWithoutTunnel
        }
    }

    /// Of the bytes that RFC 9112 section 4 allows, and short.
    var reason: StaticString {
        switch self {
        case .askForHTTP: "Ask for http:// not https://"
        case .doNotTunnel: "Send http:// without CONNECT"
        case .askForHTTPWithoutTunnel: "Ask for http:// without CONNECT"
        case .addRoute: "No route for this host"
        }
    }
}
