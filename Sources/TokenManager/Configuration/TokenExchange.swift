/// A token in exchange for another one (RFC 8693).
public struct TokenExchange: Sendable, Equatable {
    /// A token that is given, with its type as a URI (RFC 8693 section 3).
    public struct Token: Sendable, Equatable {
        /// The type of a JWT.
        public static let jwt = "urn:ietf:params:oauth:token-type:jwt"
        /// The type of an access token.
        public static let accessToken = "urn:ietf:params:oauth:token-type:access_token"

        /// The token, of which a file is read again when it changes; nil where each request brings its own.
        public var value: Secret?
        /// What the token is.
        public var type: String

        /// Creates a token to give.
        ///
        /// - Parameters:
        ///   - value: The token.
        ///   - type: What the token is, a URI.
        public init(_ value: Secret, type: String = jwt) {
            self.value = value
            self.type = type
        }

        private init(type: String) { self.type = type }

        /// The bearer token of the request, on behalf of whose sender the new one is used; for the subject only.
        ///
        /// There is one token for each subject. None is used longer than a subject token that is a JWT says of itself.
        ///
        /// - Parameter type: What the token is, a URI.
        /// - Returns: The token to give as subject.
        public static func ofRequest(type: String = accessToken) -> Token { Token(type: type) }
    }

    /// Where the token is asked for.
    public var endpoint: TokenEndpoint
    /// Who asks, or nil where the tokens are proof enough.
    public var client: OAuthClient?
    /// For whom the new token is.
    public var subject: Token
    /// Who acts for the subject, if that is another party.
    public var actor: Token?
    /// The type of the token that is wanted, a URI, or nil for the server's choice.
    public var requestedTokenType: String?
    /// What for.
    public var access: RequestedAccess
    /// TLS to the token server.
    public var tls: TLSSettings

    /// Creates the settings of the grant.
    ///
    /// - Parameters:
    ///   - endpoint: Where the token is asked for.
    ///   - client: Who asks, or nil where the tokens are proof enough.
    ///   - subject: For whom the new token is.
    ///   - actor: Who acts for the subject, if that is another party.
    ///   - requestedTokenType: The type of the token that is wanted, a URI, or nil for the server's choice.
    ///   - access: What for.
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
