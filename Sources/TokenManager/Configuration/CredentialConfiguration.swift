/// One credential: a name, the source of its value, and the field that carries it.
public struct CredentialConfiguration: Sendable, Equatable {
    /// The name that routes and callers use.
    public var name: String
    /// The source of the value.
    public var source: CredentialSource
    /// The name of the field that carries the value.
    public var header: String
    /// The word before the value, or nil for the value alone.
    public var scheme: String?
    /// The key that its tokens are bound to; nil for tokens that anyone who has them can use.
    ///
    /// Only for sources that fetch. A bound token is sent as `Authorization: DPoP …`, and each request needs the proof from
    /// `AuthorizationHeader.binding`.
    public var dpop: DPoP?
    /// Whether the program that uses the credential is ready only while it has a usable value.
    public var isRequired: Bool

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - name: The name that routes and callers use.
    ///   - source: The source of the value.
    ///   - header: The name of the field that carries the value.
    ///   - scheme: The word before the value, or nil for the value alone.
    ///   - dpop: The key that its tokens are bound to; nil for tokens that anyone who has them can use.
    ///   - isRequired: Whether readiness depends on the credential.
    public init(
        name: String, source: CredentialSource, header: String = "Authorization", scheme: String? = "Bearer",
        dpop: DPoP? = nil, isRequired: Bool = true
    ) {
        self.name = name
        self.source = source
        self.header = header
        self.scheme = scheme
        self.dpop = dpop
        self.isRequired = isRequired
    }

    /// Whether a restart makes the refresh token useless, because its key ends with the process.
    ///
    /// The server binds the refresh token of a public client to the key (RFC 9449 section 5).
    package var losesProofKey: Bool {
        guard case .refreshToken(let client) = source, client.client.authentication == .none else { return false }
        return dpop == .generated
    }
}

/// The source of a credential's value.
public enum CredentialSource: Sendable, Equatable {
    /// IBM Mobile Client Access, with a client secret or certificate.
    case mobileClientAccess(MobileClientAccess)
    /// IBM App ID, with a client secret.
    case appId(AppID)
    /// IBM Cloud's identity service, with an API key.
    case ibmIam(IBMIAM)
    /// Any OAuth 2.0 server, with the client credentials grant.
    case clientCredentials(ClientCredentials)
    /// Any OAuth 2.0 server, with an assertion.
    case jwtBearer(JWTBearer)
    /// Any OAuth 2.0 server, in exchange for another token.
    case tokenExchange(TokenExchange)
    /// Any OAuth 2.0 server, with a refresh token in a file.
    case refreshToken(RefreshToken)
    /// No server: a JWT signed here is the token. It needs an `issuer`; a missing `subject` or `audience` stays out.
    case signedJwt(SignedAssertion)
    /// GitHub, for an installation of a GitHub App.
    case githubApp(GitHubApp)
    /// The metadata server of the cloud that this machine runs in.
    case metadata(MetadataServer)
    /// A file that holds the value; it is read again when it changes, and a JWT is served until its `exp`.
    case file(path: String)
    /// A value that never expires (the configuration's type `static`).
    case fixed(Secret)
}
