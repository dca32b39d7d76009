/// A client of any OAuth 2.0 server that acts for itself (RFC 6749 section 4.4).
public struct ClientCredentials: Sendable, Equatable {
    /// The names that are written from the other properties and that `parameters` may therefore not hold.
    public static let reservedParameterNames: Set<String> = [
        "grant_type", "client_id", "client_secret", "scope", "audience", "resource",
    ]

    /// Where the token is asked for.
    public var tokenURL: TokenURL
    /// The client's identifier.
    public var clientID: String
    /// The client's secret.
    public var clientSecret: Secret
    /// How identifier and secret are sent.
    public var clientAuthentication: ClientAuthentication
    /// The scopes, separated by spaces, or nil for the server's default.
    public var scope: String?
    /// For whom the token is meant, where the server asks for it.
    public var audience: String?
    /// The resources that the token is for (RFC 8707), one field each.
    public var resource: [String]
    /// More fields of the form, in this order.
    public var parameters: [TokenParameter]
    /// TLS to the token server.
    public var tls: TLSSettings

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - tokenURL: Where the token is asked for.
    ///   - clientID: The client's identifier.
    ///   - clientSecret: The client's secret.
    ///   - clientAuthentication: How identifier and secret are sent.
    ///   - scope: The scopes, separated by spaces, or nil for the server's default.
    ///   - audience: For whom the token is meant, where the server asks for it.
    ///   - resource: The resources that the token is for, one field each.
    ///   - parameters: More fields of the form; none of `reservedParameterNames`.
    ///   - tls: TLS to the token server.
    public init(
        tokenURL: TokenURL, clientID: String, clientSecret: Secret, clientAuthentication: ClientAuthentication = .basic,
        scope: String? = nil, audience: String? = nil, resource: [String] = [], parameters: [TokenParameter] = [],
        tls: TLSSettings = TLSSettings()
    ) {
        self.tokenURL = tokenURL
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.clientAuthentication = clientAuthentication
        self.scope = scope
        self.audience = audience
        self.resource = resource
        self.parameters = parameters
        self.tls = tls
    }
}
