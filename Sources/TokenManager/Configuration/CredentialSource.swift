/// Where a credential's value comes from.
public enum CredentialSource: Sendable, Equatable {
    /// IBM Mobile Client Access, by client secret.
    case mobileClientAccess(MobileClientAccess)
    /// IBM App ID, by client secret.
    case appId(AppID)
    /// Any OAuth 2.0 server, by the client credentials grant.
    case clientCredentials(ClientCredentials)
    /// A file that holds the value; it is read again when it changes. A JWT is served until its `exp`.
    case file(path: String)
    /// A value that never ends (the configuration's type `static`).
    case fixed(Secret)
}
