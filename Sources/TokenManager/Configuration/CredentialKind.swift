/// How the value of a credential is obtained.
enum CredentialKind {
    /// By a request to a token server, with these secrets.
    case grant(TokenGrant, [SecretRole: Secret])
    /// By reading it; if `hasLife` is true, a JWT expires at its `exp`.
    case local(Secret, hasLife: Bool)
    /// Not at all: the settings are unusable.
    case broken(TokenError)

    init(_ configuration: CredentialConfiguration) {
        let problem =
            FieldText.problem(field: configuration.header, scheme: configuration.scheme)
            ?? configuration.source.parameterProblem ?? Self.bindingProblem(of: configuration)
        if let problem {
            self = Self.broken(configuration.name, problem)
            return
        }
        switch configuration.source {
        case .file(let path): self = .local(.file(path: path), hasLife: true)
        case .fixed(let value): self = .local(value, hasLife: false)
        case .mobileClientAccess, .appId, .ibmIam, .clientCredentials, .jwtBearer, .tokenExchange, .refreshToken,
            .signedJwt, .githubApp, .metadata:
            guard var draft = GrantDraft(configuration.source) else { preconditionFailure("a grant has a request") }
            draft.bind(configuration.dpop)
            let grant = TokenGrant(draft)
            if let problem = grant.problem {
                self = Self.broken(configuration.name, problem)
            } else {
                self = .grant(grant, draft.secrets)
            }
        }
    }

    /// Why the settings are unusable; nil if they are usable.
    var problem: TokenError? {
        if case .broken(let error) = self { error } else { nil }
    }

    /// Whether the next read may bring another content: only a file changes while the process runs.
    var isWatched: Bool {
        switch self {
        case .grant(_, let secrets): secrets.values.contains { $0.isFile }
        case .local(let secret, _): secret.isFile
        case .broken: false
        }
    }

    /// The file from which a refresh token is read and to which new ones are written.
    var refreshTokenPath: String? {
        guard case .grant(_, let places) = self, case .file(let path)? = places[.refreshToken] else { return nil }
        return path
    }

    private static func bindingProblem(of configuration: CredentialConfiguration) -> String? {
        guard configuration.dpop != nil else { return nil }
        switch configuration.source {
        case .file, .fixed, .signedJwt: return "dpop is for tokens that are fetched"
        case .githubApp, .metadata: return "dpop is for authorization servers, and this one binds no token to a key"
        case .mobileClientAccess, .appId, .ibmIam, .clientCredentials, .jwtBearer, .tokenExchange, .refreshToken:
            if configuration.losesProofKey {
                return "dpop needs a stored key for a public client's refresh token"
            }
            // RFC 9449 section 7.1 allows only this field for a bound token.
            return configuration.header.lowercased() == "authorization" ? nil : "dpop requires the field Authorization"
        }
    }

    private static func broken(_ name: String, _ problem: String) -> CredentialKind {
        let message = "\(problem): correct the configuration"
        return .broken(TokenError(credential: name, kind: .invalidConfiguration, message: message))
    }
}
