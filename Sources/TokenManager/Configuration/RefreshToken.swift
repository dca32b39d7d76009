/// A client that holds a refresh token in a file (RFC 6749 section 6).
///
/// A new refresh token from the server is written to the file before it is used. No two credentials may share a file,
/// because each would invalidate the other's token.
public struct RefreshToken: Sendable, Equatable {
    /// The token endpoint.
    public var endpoint: TokenEndpoint
    /// The client.
    public var client: OAuthClient
    /// The file that holds the refresh token.
    public var path: String
    /// The access to request; a scope may only be narrower than the one that was granted.
    public var access: RequestedAccess
    /// TLS to the token server.
    public var tls: TLSSettings

    /// Creates the settings of the grant.
    ///
    /// - Parameters:
    ///   - endpoint: The token endpoint.
    ///   - client: The client.
    ///   - path: The file that holds the refresh token.
    ///   - access: The access to request.
    ///   - tls: TLS to the token server.
    public init(
        endpoint: TokenEndpoint, client: OAuthClient, path: String, access: RequestedAccess = RequestedAccess(),
        tls: TLSSettings = TLSSettings()
    ) {
        self.endpoint = endpoint
        self.client = client
        self.path = path
        self.access = access
        self.tls = tls
    }
}
