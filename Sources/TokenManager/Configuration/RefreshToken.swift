/// A client that holds a refresh token in a file (RFC 6749 section 6).
///
/// A token that the server gives in its place is written back to the file before it is used. No two credentials may
/// share a file, as each would make the other's token useless.
public struct RefreshToken: Sendable, Equatable {
    /// Where the token is asked for.
    public var endpoint: TokenEndpoint
    /// Who asks.
    public var client: OAuthClient
    /// The file that holds the refresh token.
    public var path: String
    /// What for; a scope may only be narrower than what was granted.
    public var access: RequestedAccess
    /// TLS to the token server.
    public var tls: TLSSettings

    /// Creates the settings of the grant.
    ///
    /// - Parameters:
    ///   - endpoint: Where the token is asked for.
    ///   - client: Who asks.
    ///   - path: The file that holds the refresh token.
    ///   - access: What for.
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
