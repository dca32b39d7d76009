/// Every key that some type of credential has, and those that come later.
enum CredentialKey: String, CaseIterable {
    case type
    case header
    case scheme
    case allowPlaintext
    case tls
    case tokenUrl
    case issuer
    case clientId
    case clientSecret
    case clientAuthentication
    case scope
    case audience
    case resource
    case parameters
    case appId
    case secret
    case serverUrl
    case oauthServerUrl
    case endpoint
    case version
    case tenantId
    case path
    case value
    case certificate
    case privateKey
    case upstreamProxy
}

/// The types of credentials that there are.
enum CredentialType: String, CaseIterable {
    case mobileClientAccess
    case appId
    case clientCredentials
    case file
    case `static`

    /// Known by name, not built yet.
    static let later = ["ibmIam", "jwtBearer", "tokenExchange", "refreshToken"]
}
