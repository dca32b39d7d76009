import HTTPWire

/// One rule of the routing table: which requests it takes, where they go and what is attached to them.
///
/// Made by the configuration, which has checked that the credential exists and may travel to the upstream.
package struct Route: Equatable, Sendable {
    /// For logs and metrics; unique among the routes.
    package var name: String
    package let match: RouteMatch
    package let upstream: RouteUpstream
    /// The name of a credential; nil attaches nothing.
    package let credential: String?
    package let authorization: AuthorizationPolicy
    /// Which response makes us ask for another token, and send the request once more with it.
    package let refreshOn: RefreshRule
    /// Whether a credential may go over `http` to another machine, and a request for an `https` URL over `http` at all.
    package let allowPlaintext: Bool
    package let timeouts: RouteTimeouts
    package let tls: UpstreamTLS

    package init(
        name: String, match: RouteMatch, upstream: RouteUpstream, credential: String? = nil,
        authorization: AuthorizationPolicy = .replace, refreshOn: RefreshRule = .invalidToken,
        allowPlaintext: Bool = false, timeouts: RouteTimeouts = RouteTimeouts(), tls: UpstreamTLS = UpstreamTLS()
    ) {
        self.name = name
        self.match = match
        self.upstream = upstream
        self.credential = credential
        self.authorization = authorization
        self.refreshOn = refreshOn
        self.allowPlaintext = allowPlaintext
        self.timeouts = timeouts
        self.tls = tls
    }

    /// Whether a request for an `https` URL is refused because it would leave over `http`.
    package var deniesHTTPSTargets: Bool {
        guard case .origin(let origin) = upstream else { return false }
        return origin.scheme == .http && !allowPlaintext
    }
}
