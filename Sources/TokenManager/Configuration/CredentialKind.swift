/// What has to be done to have a credential's value.
enum CredentialKind {
    /// Ask a token server, with these secrets.
    case grant(TokenGrant, [SecretRole: Secret])
    /// Read it; where `hasLife` is true a JWT's `exp` ends it.
    case local(Secret, hasLife: Bool)
    /// Nothing: the settings cannot be used.
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
        case .mobileClientAccess, .appId, .ibmIam, .clientCredentials, .jwtBearer, .tokenExchange, .refreshToken:
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

    /// Why the settings cannot be used, if they cannot.
    var problem: TokenError? {
        if case .broken(let error) = self { error } else { nil }
    }

    /// Whether something may read otherwise the next time: only a file changes while the process runs.
    var isWatched: Bool {
        switch self {
        case .grant(_, let secrets): secrets.values.contains { $0.isFile }
        case .local(let secret, _): secret.isFile
        case .broken: false
        }
    }

    /// The file that a refresh token is read from, and its successors are written to.
    var refreshTokenPath: String? {
        guard case .grant(_, let places) = self, case .file(let path)? = places[.refreshToken] else { return nil }
        return path
    }

    private static func bindingProblem(of configuration: CredentialConfiguration) -> String? {
        guard configuration.dpop != nil else { return nil }
        switch configuration.source {
        case .file, .fixed: return "dpop is for tokens that are fetched"
        case .mobileClientAccess, .appId, .ibmIam, .clientCredentials, .jwtBearer, .tokenExchange, .refreshToken:
            if configuration.losesProofKey {
                return "dpop needs a key that is kept, for a public client's refresh token"
            }
            // RFC 9449 section 7.1 knows one place for a bound token.
            return configuration.header.lowercased() == "authorization" ? nil : "dpop wants the field Authorization"
        }
    }

    private static func broken(_ name: String, _ problem: String) -> CredentialKind {
        let message = "\(problem): correct the configuration"
        return .broken(TokenError(credential: name, kind: .invalidConfiguration, message: message))
    }
}
