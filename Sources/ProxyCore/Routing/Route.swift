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
    /// The parent proxy on the way to the upstream, unless its `noProxy` excepts the upstream.
    package let upstreamProxy: UpstreamProxy?

    package init(
        name: String, match: RouteMatch, upstream: RouteUpstream, upstreamPath: String = "",
        preservesHost: Bool = false, credential: String? = nil,
        authorization: AuthorizationPolicy = .replace, refreshOn: RefreshRule = .invalidToken,
        allowPlaintext: Bool = false, timeouts: RouteTimeouts = RouteTimeouts(), tls: UpstreamTLS = UpstreamTLS(),
        connect: ConnectPolicy? = nil, upstreamProxy: UpstreamProxy? = nil
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
        self.upstreamProxy = upstreamProxy
    }

    /// Whether a request for an `https` URL is refused because it would be sent over `http`.
    package var deniesHTTPSTargets: Bool {
        guard case .origin(let origin) = upstream else { return false }
        return origin.scheme == .http && !allowPlaintext
    }
}

/// What happens to the app's own `Authorization` field.
package enum AuthorizationPolicy: Equatable, Sendable {
    /// The app's field is dropped; the route's credential takes its place.
    case replace
    /// The app's field is forwarded unchanged, and the route's credential is not attached to that request.
    case keep
}

/// Where the requests of a route go.
package enum RouteUpstream: Equatable, Sendable {
    case origin(Origin)
    /// To the requested host over TLS: to the requested port, or 443 if the app named 80 or none.
    case requestedHostOverTLS
}

/// A route's own timeouts for its backend; nil keeps the value from `limits`.
package struct RouteTimeouts: Equatable, Sendable {
    /// Replaces `limits.responseTimeout`.
    package var response: Duration?
    /// Replaces `limits.streamIdleTimeout`.
    package var streamIdle: Duration?
    /// Replaces `limits.tunnelIdleTimeout`.
    package var tunnelIdle: Duration?

    package init(response: Duration? = nil, streamIdle: Duration? = nil, tunnelIdle: Duration? = nil) {
        self.response = response
        self.streamIdle = streamIdle
        self.tunnelIdle = tunnelIdle
    }
}

/// A route's TLS settings for its upstream, in addition to the verification that always happens.
package struct UpstreamTLS: Hashable, Sendable {
    /// A PEM file with the authorities to trust instead of the system's.
    package let caFile: String?
    /// The name to request (SNI) and to verify instead of the upstream's host.
    package let serverName: String?
    /// The certificate for an upstream that asks for one.
    package let clientCertificate: ClientCertificateFiles?

    package init(
        caFile: String? = nil, serverName: String? = nil, clientCertificate: ClientCertificateFiles? = nil
    ) {
        self.caFile = caFile
        self.serverName = serverName
        self.clientCertificate = clientCertificate
    }
}

/// The paths of a client's certificate and of its private key, both in PEM.
package struct ClientCertificateFiles: Hashable, Sendable {
    /// The certificate, followed by the intermediate certificates up to the authority.
    package let certificate: String
    package let privateKey: String

    package init(certificate: String, privateKey: String) {
        self.certificate = certificate
        self.privateKey = privateKey
    }
}
