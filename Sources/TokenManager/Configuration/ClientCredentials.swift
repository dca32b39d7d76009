/// A client of any OAuth 2.0 server that acts for itself (RFC 6749 section 4.4).
public struct ClientCredentials: Sendable, Equatable {
    /// The token endpoint.
    public var endpoint: TokenEndpoint
    /// The client.
    public var client: OAuthClient
    /// The access to request.
    public var access: RequestedAccess
    /// TLS to the token server.
    public var tls: TLSSettings

    /// Creates the settings of the grant.
    ///
    /// - Parameters:
    ///   - endpoint: The token endpoint.
    ///   - client: The client.
    ///   - access: The access to request.
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
