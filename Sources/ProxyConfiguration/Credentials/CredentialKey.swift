/// Every key of any type of credential, including those planned for later.
enum CredentialKey: String, CaseIterable {
    case type
    case header
    case scheme
    case required
    case dpop
    case allowPlaintext
    case tls
    case tokenUrl
    case issuer
    case clientId
    case clientSecret
    case clientAuthentication
    case clientAssertion
    case assertion
    case subjectToken
    case subjectTokenType
    case actorToken
    case actorTokenType
    case requestedTokenType
    case refreshToken
    case apikey
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
    case properties
    case installationId
    case repositories
    case permissions
    case provider
    case upstreamProxy
}

/// The types of credentials.
enum CredentialType: String, CaseIterable {
    case mobileClientAccess
    case appId
    case ibmIam
    case clientCredentials
    case jwtBearer
    case tokenExchange
    case refreshToken
    case signedJwt
    case githubApp
    case metadata
    case file
    case `static`

    /// Whether its value comes from an authorization server, which may bind it to a key.
    var isBindable: Bool {
        switch self {
        case .signedJwt, .githubApp, .metadata, .file, .static: false
        case .mobileClientAccess, .appId, .ibmIam, .clientCredentials, .jwtBearer, .tokenExchange, .refreshToken: true
        }
    }
}
