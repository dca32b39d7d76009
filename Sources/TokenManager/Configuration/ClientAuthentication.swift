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
