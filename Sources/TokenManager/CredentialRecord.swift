/// One configured credential with what is known of it now.
///
/// Owned by the manager and used on its executor only.
final class CredentialRecord {
    /// What has to be done to have a value.
    enum Kind {
        /// Ask a token server, with this secret.
        case grant(TokenGrant, Secret)
        /// Read it; where `hasLife` is true a JWT's `exp` ends it.
        case local(Secret, hasLife: Bool)
        /// Nothing: the settings cannot be used.
        case broken(TokenError)
    }

    /// How often a secret in a file is looked at.
    static let checkInterval: Duration = .seconds(1)
    /// Stands for "without an end" where an instant is wanted: a century.
    private static let endless: Duration = .seconds(100 * 365 * 86_400)

    let configuration: CredentialConfiguration
    let kind: Kind
    /// Which token is meant, once the secret has been read.
    var key: TokenKey?
    /// The secret as it was last readable.
    var secret: SecretText?
    /// Why the secret could not be read the last time.
    var secretError: TokenError?
    /// The value, where it is read and not fetched.
    var value = LocalValue.empty
    /// Whether the observer holds a copy of the value.
    var isPublished = false
    private(set) var succeeded = 0
    private(set) var failed = 0
    private(set) var lastError: TokenError?
    private var checkedAt: ContinuousClock.Instant?

    init(_ configuration: CredentialConfiguration) {
        self.configuration = configuration
        kind = Self.kind(of: configuration)
        if case .broken(let error) = kind { lastError = error }
    }

    var name: String { configuration.name }

    /// The secret to read, if it is time to: once, and in a file again and again.
    func secretToCheck(at now: ContinuousClock.Instant) -> Secret? {
        let wanted: Secret
        switch kind {
        case .grant(_, let secret): wanted = secret
        case .local(let secret, _): wanted = secret
        case .broken: return nil
        }
        if let checkedAt {
            guard isWatched, now >= checkedAt + Self.checkInterval else { return nil }
        }
        checkedAt = now
        return wanted
    }

    /// Whether the secret may read otherwise the next time: only a file changes while the process runs.
    var isWatched: Bool {
        switch kind {
        case .grant(_, .file), .local(.file, _): true
        case .grant(_, .literal), .grant(_, .environment), .local(.literal, _), .local(.environment, _): false
        case .broken: false
        }
    }

    /// The field that carries a value.
    func header(_ value: String, usableUntil: ContinuousClock.Instant) -> AuthorizationHeader {
        let text = configuration.scheme.map { "\($0) \(value)" } ?? value
        return AuthorizationHeader(name: configuration.header, value: text, usableUntil: usableUntil)
    }

    /// The field that carries a value that was read.
    func header(_ reading: LocalValue.Reading, now: ContinuousClock.Instant) -> AuthorizationHeader {
        header(reading.text, usableUntil: reading.usableUntil ?? now + Self.endless)
    }

    /// Counts the end of a fetch or of the reading of something new.
    func count(_ result: Result<FetchedToken, TokenError>) {
        switch result {
        case .success:
            succeeded += 1
            lastError = nil
        case .failure(let error):
            failed += 1
            lastError = error
        }
    }

    /// The source that could not be read is readable again, and holds what it held.
    func recover() {
        if lastError == secretError { lastError = nil }
        secretError = nil
    }

    /// An error as this credential's own.
    func named(_ error: TokenError) -> TokenError {
        var error = error
        error.credential = name
        return error
    }

    private static func kind(of configuration: CredentialConfiguration) -> Kind {
        if let problem = FieldText.problem(field: configuration.header, scheme: configuration.scheme) {
            return broken(configuration.name, problem)
        }
        let grant: TokenGrant
        let secret: Secret
        switch configuration.source {
        case .mobileClientAccess(let client): (grant, secret) = (TokenGrant(client), client.clientSecret)
        case .appId(let client): (grant, secret) = (TokenGrant(client), client.clientSecret)
        case .clientCredentials(let client): (grant, secret) = (TokenGrant(client), client.clientSecret)
        case .file(let path): return .local(.file(path: path), hasLife: true)
        case .fixed(let value): return .local(value, hasLife: false)
        }
        if let problem = grant.problem { return broken(configuration.name, problem) }
        return .grant(grant, secret)
    }

    private static func broken(_ name: String, _ problem: String) -> Kind {
        let message = "\(problem): correct the configuration"
        return .broken(TokenError(credential: name, kind: .invalidConfiguration, message: message))
    }
}
