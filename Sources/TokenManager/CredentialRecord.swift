/// One configured credential with what is known of it now.
///
/// Owned by the manager and used on its executor only.
final class CredentialRecord {
    /// What has to be done to have a value.
    enum Kind {
        /// Ask a token server, with these secrets.
        case grant(TokenGrant, [SecretRole: Secret])
        /// Read it; where `hasLife` is true a JWT's `exp` ends it.
        case local(Secret, hasLife: Bool)
        /// Nothing: the settings cannot be used.
        case broken(TokenError)
    }

    /// Which value of which credential.
    struct Variant {
        unowned let credential: CredentialRecord
        let key: ParameterKey
        /// What the requests say that mean it.
        let request: RequestParameters
        /// The end of the requests' own token, if that is exchanged and says one.
        let end: ContinuousClock.Instant?
        /// What is asked for; its secrets are the credential's.
        let grant: TokenGrant

        /// Whether a token server's refusal is about this value and says nothing about the others.
        func isToBlame(for error: TokenError) -> Bool {
            request.areToBlame(for: error, standInPath: credential.hasParameterInPath)
        }
    }

    /// Of how many values a parameterised credential remembers that they have had a token.
    private static let mostProvenValues = 1000

    /// How often a secret in a file is looked at.
    static let checkInterval: Duration = .seconds(1)
    /// Stands for "without an end" where an instant is wanted: a century.
    private static let endless: Duration = .seconds(100 * 365 * 86_400)

    let configuration: CredentialConfiguration
    let kind: Kind
    /// What of a request decides which token is meant; empty where there is one for all.
    let parameters: [RequestParameter]
    /// The values that have been asked for and whose tokens are kept.
    var variants: [ParameterKey: CredentialRecord] = [:]
    /// Whether a request names a part of the token endpoint's path.
    let hasParameterInPath: Bool
    /// The values that have had a token, be it long ago.
    private var provenValues = TokenCache<ParameterKey, Void>(capacity: CredentialRecord.mostProvenValues)
    /// What is known against the client, which holds for all values.
    var clientOutage = ClientOutage.none
    /// Where this is one of the values of a parameterised credential: which.
    let variant: Variant?
    /// Which token is meant, once the secrets have been read.
    var key: TokenKey?
    /// The secrets in use: as they were last readable, but for a refresh token that the server has replaced since.
    var secrets: SecretTexts?
    /// What was in the places of the secrets when they were last readable.
    var lastRead: SecretTexts?
    /// Why the secrets could not be read or used the last time.
    var secretError: TokenError?
    /// Since when the secrets or the value cannot be read or used.
    private var unusableSince: ContinuousClock.Instant?
    /// The refresh token's way back to its file.
    var writing = SecretWriting.done
    /// Whether the observer knows that another process replaces the refresh token in the file.
    var hasToldReplacement = false
    /// The writing that is under way.
    var writingTask: Task<Void, Never>?
    /// Whether the secrets or the value are being read.
    var reading = SecretReading.idle
    /// What is being read.
    var placeBeingRead: Secret?
    /// Those who wait for the end of the reading.
    var readers: [Waiter<Void>] = []
    /// Reports a reading that takes too long.
    var readingLimit: Task<Void, Never>?
    /// The reading that is under way.
    var readingTask: Task<Void, Never>?
    /// The value, where it is read and not fetched.
    var value = LocalValue.empty
    /// Whether the observer holds a copy of the value.
    var isPublished = false
    private(set) var succeeded = 0
    private(set) var failed = 0
    private(set) var lastError: TokenError?
    /// The failed fetches since the last one that succeeded.
    private var failedRun: (since: ContinuousClock.Instant, count: Int)?
    /// When the last reading of the secrets or the value began.
    var checkedAt: ContinuousClock.Instant?

    init(_ configuration: CredentialConfiguration) {
        self.configuration = configuration
        kind = Self.kind(of: configuration)
        parameters = configuration.parameters
        hasParameterInPath = configuration.source.hasParameterInPath
        variant = nil
        if case .broken(let error) = kind { lastError = error }
    }

    /// One of the values of a parameterised credential, whose settings have been checked as they stand: nothing that a
    /// request says makes them unusable.
    init(_ variant: Variant) {
        configuration = variant.credential.configuration
        self.variant = variant
        kind = .grant(variant.grant, [:])
        parameters = []
        hasParameterInPath = false
    }

    var name: String { configuration.name }

    /// What is wrong now: with the last attempt, with the secrets, or with a refresh token's way back to its file.
    ///
    /// A secret that cannot be read comes first: it is often the reason for failed attempts.
    var problem: TokenError? { secretError ?? lastError ?? writing.error }

    /// When the first of the certificates among the secrets ends, in seconds since 1970.
    var certificateExpiresAt: Int64? {
        [.tlsCertificate, .clientAssertionCertificate, .assertionCertificate]
            .compactMap { secrets?[$0].flatMap { SigningKey.validity(certificate: $0.value)?.notAfter } }.min()
    }

    /// Whether it is time to read the secrets or the value: once, and what is in files again and again.
    func isReadingDue(at now: ContinuousClock.Instant) -> Bool {
        if case .broken = kind { return false }
        // The file is being written by ourselves.
        if writing.isUnderWay { return false }
        if let checkedAt {
            guard isWatched, now >= checkedAt + Self.checkInterval else { return false }
        }
        return true
    }

    /// Whether callers can be answered without a further reading.
    func isServing(at now: ContinuousClock.Instant) -> Bool {
        switch kind {
        case .grant: secrets != nil
        case .local: value.reading(at: now) != nil
        case .broken: true
        }
    }

    /// Whether something may read otherwise the next time: only a file changes while the process runs.
    var isWatched: Bool {
        switch kind {
        case .grant(_, let secrets): secrets.values.contains { $0.isFile }
        case .local(let secret, _): secret.isFile
        case .broken: false
        }
    }

    /// What is asked for where a request's values stand in the settings.
    ///
    /// They are no settings themselves: a brace in one is a brace.
    func grant(for request: RequestParameters) throws(UnusableParameter) -> TokenGrant {
        guard case .grant(_, let places) = kind, var draft = GrantDraft(try configuration.source.filled(request)) else {
            preconditionFailure("only what is fetched depends on a request")
        }
        draft.secrets = places
        return TokenGrant(draft)
    }

    /// The field that carries a token.
    func header(_ token: AccessToken, askAgainAt: ContinuousClock.Instant? = nil) -> AuthorizationHeader {
        guard let key = token.proofKey else {
            return header(
                token.value, usableUntil: token.usableUntil, askAgainAt: askAgainAt, obtainedAt: token.receivedAt)
        }
        return AuthorizationHeader(
            name: configuration.header, value: "DPoP \(token.value)", usableUntil: token.usableUntil,
            askAgainAt: askAgainAt, obtainedAt: token.receivedAt, binding: TokenBinding(key, token: token.value))
    }

    private func header(
        _ value: String, usableUntil: ContinuousClock.Instant, askAgainAt: ContinuousClock.Instant? = nil,
        obtainedAt: ContinuousClock.Instant?
    ) -> AuthorizationHeader {
        let text = configuration.scheme.map { "\($0) \(value)" } ?? value
        return AuthorizationHeader(
            name: configuration.header, value: text, usableUntil: usableUntil, askAgainAt: askAgainAt,
            obtainedAt: obtainedAt)
    }

    /// The field that carries a value that was read.
    func header(_ reading: LocalValue.Reading, now: ContinuousClock.Instant) -> AuthorizationHeader {
        header(reading.text, usableUntil: reading.usableUntil ?? now + Self.endless, obtainedAt: reading.readAt)
    }

    /// Counts the end of a fetch or of the reading of something new.
    func count(_ result: Result<FetchedToken, FailedFetch>) {
        if let variant { return variant.credential.count(result) }
        switch result {
        case .success:
            succeeded += 1
            lastError = nil
        case .failure(let failure):
            failed += 1
            lastError = failure.error
            // A status tells of the next attempt by itself, and later than now.
            lastError?.retryAfter = nil
        }
    }

    /// A fetch failed, and not for what a request said.
    func fetchFailed(_ now: ContinuousClock.Instant) {
        if let variant { return variant.credential.fetchFailed(now) }
        failedRun = (failedRun?.since ?? now, (failedRun?.count ?? 0) + 1)
    }

    /// A fetch succeeded.
    ///
    /// - Returns: The failures that it ended.
    func fetchSucceeded(_ now: ContinuousClock.Instant) -> FetchedToken.Recovery? {
        if let variant { return variant.credential.fetchSucceeded(now) }
        defer { failedRun = nil }
        return failedRun.map { FetchedToken.Recovery(duration: now - $0.since, attempts: $0.count + 1) }
    }

    /// The credential shares the token of another one from now on, and with it what went wrong before.
    func join(_ other: CredentialRecord) {
        lastError = other.lastError.map { named($0) }
        failedRun = other.failedRun
    }

    /// A value got a token, so that after an outage it is asked for before those of which nothing is known.
    func prove(_ value: ParameterKey) {
        provenValues.insert((), for: value)
        _ = provenValues.evict(beyond: Self.mostProvenValues) { true }
    }

    /// Whether a value may try for all after an outage at once; where none is proven, each may.
    func isProven(_ value: ParameterKey) -> Bool { provenValues.count == 0 || provenValues.peek(value) != nil }

    /// Counts a fetch that the token server refused for what a request said.
    func countRefusedRequest() { failed += 1 }

    /// Whether what is wrong is known until a file is read again.
    var hasSecretProblem: Bool {
        if case .local = kind { return problem != nil }
        return secretError != nil
    }

    /// The secrets or the value cannot be read or used.
    func secretFailed(_ now: ContinuousClock.Instant) { unusableSince = unusableSince ?? now }

    /// The secrets or the value can be read and used.
    ///
    /// - Returns: For how long they could not; nil if they could.
    func recover(_ now: ContinuousClock.Instant) -> Duration? {
        if lastError == secretError { lastError = nil }
        secretError = nil
        defer { unusableSince = nil }
        return unusableSince.map { now - $0 }
    }

    /// An error as this credential's own.
    func named(_ error: TokenError) -> TokenError {
        var error = error
        error.credential = name
        return error
    }

    private static func kind(of configuration: CredentialConfiguration) -> Kind {
        let problem =
            FieldText.problem(field: configuration.header, scheme: configuration.scheme)
            ?? configuration.source.parameterProblem ?? bindingProblem(of: configuration)
        if let problem { return broken(configuration.name, problem) }
        switch configuration.source {
        case .file(let path): return .local(.file(path: path), hasLife: true)
        case .fixed(let value): return .local(value, hasLife: false)
        case .mobileClientAccess, .appId, .ibmIam, .clientCredentials, .jwtBearer, .tokenExchange, .refreshToken:
            guard var draft = GrantDraft(configuration.source) else { preconditionFailure("a grant has a request") }
            draft.bind(configuration.dpop)
            let grant = TokenGrant(draft)
            if let problem = grant.problem { return broken(configuration.name, problem) }
            return .grant(grant, draft.secrets)
        }
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

    private static func broken(_ name: String, _ problem: String) -> Kind {
        let message = "\(problem): correct the configuration"
        return .broken(TokenError(credential: name, kind: .invalidConfiguration, message: message))
    }
}
