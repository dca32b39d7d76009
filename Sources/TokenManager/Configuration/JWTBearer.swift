/// A token for whom an assertion speaks for (RFC 7523 section 2.1).
public struct JWTBearer: Sendable, Equatable {
    /// Where the token is asked for.
    public var endpoint: TokenEndpoint
    /// Who asks, or nil where the assertion is proof enough.
    public var client: OAuthClient?
    /// Who the token is for.
    public var assertion: Assertion
    /// What for.
    public var access: RequestedAccess
    /// TLS to the token server.
    public var tls: TLSSettings

    /// Creates the settings of the grant.
    ///
    /// - Parameters:
    ///   - endpoint: Where the token is asked for.
    ///   - client: Who asks, or nil where the assertion is proof enough.
    ///   - assertion: Who the token is for.
    ///   - access: What for.
    ///   - tls: TLS to the token server.
    public init(
        endpoint: TokenEndpoint, client: OAuthClient? = nil, assertion: Assertion,
        access: RequestedAccess = RequestedAccess(), tls: TLSSettings = TLSSettings()
    ) {
        self.endpoint = endpoint
        self.client = client
        self.assertion = assertion
        self.access = access
        self.tls = tls
    }
}
