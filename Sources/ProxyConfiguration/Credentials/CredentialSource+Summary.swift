package import TokenManager

/// What a person may know of a credential's source.
extension CredentialSource {
    /// The word for `type` in the configuration.
    package var typeName: String {
        switch self {
        case .mobileClientAccess: "mobileClientAccess"
        case .appId: "appId"
        case .ibmIam: "ibmIam"
        case .clientCredentials: "clientCredentials"
        case .jwtBearer: "jwtBearer"
        case .tokenExchange: "tokenExchange"
        case .refreshToken: "refreshToken"
        case .signedJwt: "signedJwt"
        case .githubApp: "githubApp"
        case .metadata: "metadata"
        case .file: "file"
        case .fixed: "static"
        }
    }

    /// The token server or the issuer that names it, without path and query, which may hold a secret; nil without one.
    package var tokenServer: String? {
        switch self {
        case .mobileClientAccess(let client): client.tokenURL.serverText
        case .appId(let client): client.tokenURL.serverText
        case .ibmIam(let client): client.tokenURL.serverText
        case .clientCredentials(let client): client.endpoint.serverText
        case .jwtBearer(let client): client.endpoint.serverText
        case .tokenExchange(let client): client.endpoint.serverText
        case .refreshToken(let client): client.endpoint.serverText
        case .githubApp(let app): app.tokenURL.serverText
        case .metadata(let server): server.tokenURL.serverText
        case .signedJwt, .file, .fixed: nil
        }
    }
}

extension CredentialSource {
    /// The type and the token server, as in `clientCredentials at https://idp.example`.
    package var summary: String {
        guard let server = tokenServer else { return typeName }
        return "\(typeName) at \(hasIssuer ? "what \(server) says" : server)"
    }

    /// Whether the metadata of an issuer names the token endpoint.
    private var hasIssuer: Bool {
        let endpoint: TokenEndpoint? =
            switch self {
            case .clientCredentials(let client): client.endpoint
            case .jwtBearer(let client): client.endpoint
            case .tokenExchange(let client): client.endpoint
            case .refreshToken(let client): client.endpoint
            case .mobileClientAccess, .appId, .ibmIam, .signedJwt, .githubApp, .metadata, .file, .fixed: nil
            }
        guard case .issuer? = endpoint else { return false }
        return true
    }
}

extension TokenEndpoint {
    fileprivate var serverText: String {
        switch self {
        case .url(let url): url.serverText
        case .issuer(let issuer): issuer.url.serverText
        }
    }
}

extension TokenURL {
    fileprivate var serverText: String { "\(scheme.rawValue)://\(authority)" }
}
