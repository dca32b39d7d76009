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

/// A JWT that authenticates a client, or names the subject of a token (RFC 7521, RFC 7523).
public enum Assertion: Sendable, Equatable {
    /// A JWT that Attaché signs anew for each request.
    case signed(SignedAssertion)
    /// A finished JWT, for instance a projected Kubernetes or SPIFFE token; a file is read again when it changes.
    case value(Secret)
}

/// The content of a JWT that Attaché signs, and the key to sign it with.
public struct SignedAssertion: Sendable, Equatable {
    /// The usual life of a JWT that is used once, at once.
    public static let usualLifetime: Duration = .seconds(60)

    /// The private key in PEM: RSA of 2048 bits or more, EC P-256 or Ed25519, unencrypted.
    public var privateKey: Secret
    /// The signature algorithm; nil for the key's usual one: RS256, ES256 or EdDSA.
    public var algorithm: SigningAlgorithm?
    /// The key's name, `kid` in the header.
    public var keyID: String?
    /// The key's certificate in PEM, whose SHA-256 thumbprint goes into the header as `x5t#S256`.
    public var certificate: Secret?
    /// `iss`, or nil for the client's identifier.
    public var issuer: String?
    /// `sub`, or nil for the client's identifier.
    public var subject: String?
    /// `aud`, or nil for the token endpoint.
    ///
    /// That is the configured endpoint, or the metadata's `token_endpoint`, even if a client with a certificate sends
    /// the request to an alias of it.
    public var audience: String?
    /// The time from `iat` to `exp`, in whole seconds.
    public var lifetime: Duration
    /// More claims with text values.
    public var claims: [TokenParameter]

    /// The claims that other properties set, so that `claims` must not contain them.
    public static let reservedClaimNames: Set<String> = ["iss", "sub", "aud", "exp", "iat", "jti", "nbf"]

    /// Creates the settings of a JWT.
    ///
    /// - Parameters:
    ///   - privateKey: The private key in PEM.
    ///   - algorithm: The signature algorithm; nil for the key's usual one.
    ///   - keyID: The key's name, `kid` in the header.
    ///   - certificate: The key's certificate in PEM, for `x5t#S256` in the header.
    ///   - issuer: `iss`, or nil for the client's identifier.
    ///   - subject: `sub`, or nil for the client's identifier.
    ///   - audience: `aud`, or nil for the token endpoint.
    ///   - lifetime: The time from `iat` to `exp`.
    ///   - claims: More claims; none of `reservedClaimNames`.
    public init(
        privateKey: Secret, algorithm: SigningAlgorithm? = nil, keyID: String? = nil, certificate: Secret? = nil,
        issuer: String? = nil, subject: String? = nil, audience: String? = nil, lifetime: Duration = usualLifetime,
        claims: [TokenParameter] = []
    ) {
        self.privateKey = privateKey
        self.algorithm = algorithm
        self.keyID = keyID
        self.certificate = certificate
        self.issuer = issuer
        self.subject = subject
        self.audience = audience
        self.lifetime = lifetime
        self.claims = claims
    }
}
