/// A token for the subject of a JWT assertion (RFC 7523 section 2.1).
public struct JWTBearer: Sendable, Equatable {
    /// The token endpoint.
    public var endpoint: TokenEndpoint
    /// The client; nil if the assertion suffices.
    public var client: OAuthClient?
    /// The assertion that names the token's subject.
    public var assertion: Assertion
    /// The access to request.
    public var access: RequestedAccess
    /// TLS to the token server.
    public var tls: TLSSettings

    /// Creates the settings of the grant.
    ///
    /// - Parameters:
    ///   - endpoint: The token endpoint.
    ///   - client: The client; nil if the assertion suffices.
    ///   - assertion: The assertion that names the token's subject.
    ///   - access: The access to request.
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
