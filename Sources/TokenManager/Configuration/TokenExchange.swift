/// A token in exchange for another one (RFC 8693).
public struct TokenExchange: Sendable, Equatable {
    /// A token to exchange, with its type as a URI (RFC 8693 section 3).
    public struct Token: Sendable, Equatable {
        /// The type of a JWT.
        public static let jwt = "urn:ietf:params:oauth:token-type:jwt"
        /// The type of an access token.
        public static let accessToken = "urn:ietf:params:oauth:token-type:access_token"

        /// The token, whose file is read again when it changes; nil if each request brings its own.
        public var value: Secret?
        /// The token's type.
        public var type: String

        /// Creates a token to exchange.
        ///
        /// - Parameters:
        ///   - value: The token.
        ///   - type: The token's type, a URI.
        public init(_ value: Secret, type: String = jwt) {
            self.value = value
            self.type = type
        }

        private init(type: String) { self.type = type }

        /// The bearer token of the request, for a new token on behalf of its sender; for the subject only.
        ///
        /// Each subject has its own token. None is used for longer than its subject token is valid, if that is a JWT.
        ///
        /// - Parameter type: The token's type, a URI.
        /// - Returns: The token to use as subject.
        public static func ofRequest(type: String = accessToken) -> Token { Token(type: type) }
    }

    /// The token endpoint.
    public var endpoint: TokenEndpoint
    /// The client; nil if the tokens suffice.
    public var client: OAuthClient?
    /// The subject of the new token.
    public var subject: Token
    /// The party that acts for the subject, if it is another one.
    public var actor: Token?
    /// The type of token to request, a URI; nil for the server's choice.
    public var requestedTokenType: String?
    /// The access to request.
    public var access: RequestedAccess
    /// TLS to the token server.
    public var tls: TLSSettings

    /// Creates the settings of the grant.
    ///
    /// - Parameters:
    ///   - endpoint: The token endpoint.
    ///   - client: The client; nil if the tokens suffice.
    ///   - subject: The subject of the new token.
    ///   - actor: The party that acts for the subject, if it is another one.
    ///   - requestedTokenType: The type of token to request, a URI; nil for the server's choice.
    ///   - access: The access to request.
    ///   - tls: TLS to the token server.
    public init(
        endpoint: TokenEndpoint, client: OAuthClient? = nil, subject: Token, actor: Token? = nil,
        requestedTokenType: String? = nil, access: RequestedAccess = RequestedAccess(), tls: TLSSettings = TLSSettings()
    ) {
        self.endpoint = endpoint
        self.client = client
        self.subject = subject
        self.actor = actor
        self.requestedTokenType = requestedTokenType
        self.access = access
        self.tls = tls
    }
}
