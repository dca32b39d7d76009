/// Where a credential's value comes from.
public enum CredentialSource: Sendable, Equatable {
    /// IBM Mobile Client Access, by client secret or certificate.
    case mobileClientAccess(MobileClientAccess)
    /// IBM App ID, by client secret.
    case appId(AppID)
    /// IBM Cloud's identity service, by API key.
    case ibmIam(IBMIAM)
    /// Any OAuth 2.0 server, by the client credentials grant.
    case clientCredentials(ClientCredentials)
    /// Any OAuth 2.0 server, by an assertion.
    case jwtBearer(JWTBearer)
    /// Any OAuth 2.0 server, in exchange for another token.
    case tokenExchange(TokenExchange)
    /// Any OAuth 2.0 server, by a refresh token in a file.
    case refreshToken(RefreshToken)
    /// A file that holds the value; it is read again when it changes. A JWT is served until its `exp`.
    case file(path: String)
    /// A value that never ends (the configuration's type `static`).
    case fixed(Secret)
}
