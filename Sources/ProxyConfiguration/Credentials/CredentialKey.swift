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
    case file
    case `static`

    /// Whether its value comes from a token server.
    var isFetched: Bool { self != .file && self != .static }
}
