/// A client of any OAuth 2.0 server that acts for itself (RFC 6749 section 4.4).
public struct ClientCredentials: Sendable, Equatable {
    /// Where the token is asked for.
    public var endpoint: TokenEndpoint
    /// Who asks.
    public var client: OAuthClient
    /// What for.
    public var access: RequestedAccess
    /// TLS to the token server.
    public var tls: TLSSettings

    /// Creates the settings of the grant.
    ///
    /// - Parameters:
    ///   - endpoint: Where the token is asked for.
    ///   - client: Who asks.
    ///   - access: What for.
    ///   - tls: TLS to the token server.
    public init(
        endpoint: TokenEndpoint, client: OAuthClient, access: RequestedAccess = RequestedAccess(),
        tls: TLSSettings = TLSSettings()
    ) {
        self.endpoint = endpoint
        self.client = client
        self.access = access
        self.tls = tls
    }
}
