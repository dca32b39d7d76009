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
    /// A file that holds the value; it is read again when it changes, and a JWT is served until its `exp`.
    case file(path: String)
    /// A value that never expires (the configuration's type `static`).
    case fixed(Secret)
}
