import HTTPWire

/// One rule of the routing table: which requests it takes, where they go and what is attached to them.
///
/// The configuration makes it and has checked that the credential exists and may be sent to the upstream.
package struct Route: Equatable, Sendable {
    /// The name for logs and metrics; unique among the routes.
    package var name: String
    package let match: RouteMatch
    package let upstream: RouteUpstream
    /// The path before that of each request: empty, or as in `/v2`.
    package let upstreamPath: String
    /// Whether the backend gets the app's `Host` instead of its own authority.
    package let preservesHost: Bool
    /// The name of a credential; nil if none is attached.
    package let credential: String?
    package let authorization: AuthorizationPolicy
    /// Which response makes Attaché fetch another token and send the request once more with it.
    package let refreshOn: RefreshRule
    /// Whether a credential may be sent to another machine over `http`, and any request for an `https` URL over
    /// `http`.
    package let allowPlaintext: Bool
    package let timeouts: RouteTimeouts
    package let tls: UpstreamTLS
    /// What becomes of a CONNECT to its host; nil leaves that to `ConnectRules`.
    package let connect: ConnectPolicy?

    package init(
        name: String, match: RouteMatch, upstream: RouteUpstream, upstreamPath: String = "",
        preservesHost: Bool = false, credential: String? = nil,
        authorization: AuthorizationPolicy = .replace, refreshOn: RefreshRule = .invalidToken,
        allowPlaintext: Bool = false, timeouts: RouteTimeouts = RouteTimeouts(), tls: UpstreamTLS = UpstreamTLS(),
        connect: ConnectPolicy? = nil
    ) {
        self.name = name
        self.match = match
        self.upstream = upstream
        self.upstreamPath = upstreamPath
        self.preservesHost = preservesHost
        self.credential = credential
        self.authorization = authorization
        self.refreshOn = refreshOn
        self.allowPlaintext = allowPlaintext
        self.timeouts = timeouts
        self.tls = tls
        self.connect = connect
    }

    /// Whether a request for an `https` URL is refused because it would be sent over `http`.
    package var deniesHTTPSTargets: Bool {
        guard case .origin(let origin) = upstream else { return false }
        return origin.scheme == .http && !allowPlaintext
    }
}
