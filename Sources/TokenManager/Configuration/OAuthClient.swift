/// A client of a token server, and how it authenticates.
public struct OAuthClient: Sendable, Equatable {
    /// The client's identifier.
    public var id: String
    /// How the client authenticates.
    public var authentication: ClientAuthentication

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - id: The client's identifier.
    ///   - authentication: How the client authenticates.
    public init(id: String, authentication: ClientAuthentication) {
        self.id = id
        self.authentication = authentication
    }
}

/// How a client authenticates to the token server.
public enum ClientAuthentication: Sendable, Equatable {
    /// HTTP Basic of the form-encoded client identifier and secret, with %20 for a space, as RFC 6749 section 2.3.1
    /// requires.
    case basic(Secret)
    /// HTTP Basic of the client identifier and secret without encoding, as many servers expect.
    case basicRaw(Secret)
    /// `client_id` and `client_secret` in the body.
    case post(Secret)
    /// A JWT about the client, signed with the secret by HS256 (RFC 7523 section 2.2, OpenID's `client_secret_jwt`).
    ///
    /// The audience is the token endpoint unless it is given.
    case clientSecretJwt(Secret, audience: String? = nil)
    /// A JWT about the client, signed with its key or read from a file (RFC 7523 section 2.2, OpenID's
    /// `private_key_jwt`).
    case privateKeyJwt(Assertion)
    /// The certificate that `TLSSettings.clientCertificate` presents (RFC 8705 section 2); `client_id` in the body.
    case mutualTls
    /// No authentication: a public client, with `client_id` in the body.
    case none
}

/// The algorithm that signs a JWT with a private key, named as in RFC 7518 section 3.1 and RFC 8037 section 3.1.
public enum SigningAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// RSA PKCS #1 v1.5 with SHA-256.
    case rs256 = "RS256"
    /// RSA PSS with SHA-256.
    case ps256 = "PS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
}

/// The key that the tokens of a credential are bound to, so that they are useless without it (RFC 9449).
///
/// The key is on the curve P-256, and proofs are signed with ES256.
public enum DPoP: Sendable, Equatable {
    /// A key of the credential's own, generated at the start; it never leaves the process.
    ///
    /// The refresh token of a public client needs a stored key instead: the server binds that token to the key too
    /// (RFC 9449 section 5).
    case generated
    /// A key in PEM; if it is in a file, it is read again when it changes.
    case privateKey(Secret)
}

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
