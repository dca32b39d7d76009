/// The values of one parameterised credential: those whose tokens are kept, and what their fetches say about the client.
///
/// Whoever sends requests names values, as many as it likes. What the fetch of one says about the client holds for all.
final class CredentialVariants {
    /// Of how many values a credential remembers that they have had a token.
    private static let mostProvenValues = 1000

    private let configuration: CredentialConfiguration
    /// What of a request decides which token is meant.
    private let parameters: [RequestParameter]
    /// Where the credential's secrets are.
    private let places: [SecretRole: Secret]
    /// Whether a request names a part of the token endpoint's path.
    private let standInPath: Bool
    /// The values whose tokens are kept.
    private var kept: [ParameterKey: TokenHolder] = [:]
    /// The values that have had a token, be it long ago.
    private var provenValues = TokenCache<ParameterKey, Void>(capacity: CredentialVariants.mostProvenValues)
    /// What is known against the client.
    private var outage = ClientOutage.none

    /// Nil for a credential that has one token for all requests.
    init?(_ configuration: CredentialConfiguration, _ kind: CredentialKind) {
        parameters = configuration.parameters
        guard !parameters.isEmpty, case .grant(_, let places) = kind else { return nil }
        self.configuration = configuration
        self.places = places
        standInPath = configuration.source.hasParameterInPath
    }

    // MARK: Values

    /// All whose tokens are kept.
    var holders: [TokenHolder] { Array(kept.values) }

    /// The value that a request means, if its token is kept.
    func holder(for request: RequestParameters) -> TokenHolder? {
        ParameterKey(request, of: parameters).flatMap { kept[$0] }
    }

    /// Keeps a value from now on.
    func keep(_ variant: TokenVariant) -> TokenHolder {
        let holder = TokenHolder(configuration.name, variant: variant)
        kept[variant.key] = holder
        return holder
    }

    /// A value's token is not kept any more.
    func forget(_ variant: TokenVariant) { kept[variant.key] = nil }

    /// The value that a request names.
    ///
    /// - Parameters:
    ///   - request: What the request says.
    ///   - now: The time.
    ///   - unixTime: The same moment in seconds since 1970.
    /// - Returns: The value, which is not kept yet.
    /// - Throws: `TokenError` where the request names none that can be used.
    func variant(
        for request: RequestParameters, _ now: ContinuousClock.Instant, unixTime: Double
    ) throws(TokenError) -> TokenVariant {
        var named = RequestParameters()
        for parameter in parameters { named[parameter] = request[parameter] }
        var end: ContinuousClock.Instant?
        if let token = named.bearerToken { end = try subjectEnd(token, now, unixTime) }
        do throws(UnusableParameter) {
            guard let key = ParameterKey(named, of: parameters) else {
                let missing = parameters.first { named[$0] == nil } ?? .host
                throw UnusableParameter(missing, nil)
            }
            return TokenVariant(siblings: self, key: key, request: named, end: end, grant: try grant(for: named))
        } catch {
            throw error.error.named(configuration.name)
        }
    }

    /// What a caller gets whose own token has ended.
    var subjectEnded: TokenError {
        TokenError(
            credential: configuration.name, kind: .subjectTokenUnusable,
            message: "the request's own bearer token has ended: send one that is good")
    }

    /// What is asked for where a request's values stand in the settings.
    ///
    /// They are no settings themselves: a brace in one is a brace.
    private func grant(for request: RequestParameters) throws(UnusableParameter) -> TokenGrant {
        guard var draft = GrantDraft(try configuration.source.filled(request)) else {
            preconditionFailure("only what is fetched depends on a request")
        }
        draft.secrets = places
        return TokenGrant(draft)
    }

    /// When a request's own token ends, if it says so.
    private func subjectEnd(
        _ token: String, _ now: ContinuousClock.Instant, _ unixTime: Double
    ) throws(TokenError) -> ContinuousClock.Instant? {
        guard token.utf8.count <= TokenAnswer.longestToken, FieldText.isBearerToken(token) else {
            throw TokenError(
                credential: configuration.name, kind: .subjectTokenUnusable,
                message: "the request's own Authorization holds no bearer token")
        }
        guard let expiresAt = JSONWebToken(token)?.expiresAt else { return nil }
        // A huge number does not fit: ten years are enough.
        let left = min(max(expiresAt - unixTime, 0), 315_360_000)
        guard left > 0 else { throw subjectEnded }
        return now + .seconds(left)
    }

    // MARK: What their fetches say about the client

    /// Whether a token server's refusal is about what the requests say and says nothing about other values.
    func areToBlame(_ request: RequestParameters, for error: TokenError) -> Bool {
        request.areToBlame(for: error, standInPath: standInPath)
    }

    /// When the back-off of all values is over; nil where none runs.
    var retryAt: ContinuousClock.Instant? { outage.retryAt }

    /// Why no fetch may begin for a value; nil where it may.
    func refusal(of value: ParameterKey, at now: ContinuousClock.Instant) -> TokenError? {
        // Where no value is proven, each may try for all after an outage at once.
        let isProven = provenValues.count == 0 || provenValues.peek(value) != nil
        return outage.refusal(at: now, isProven: isProven)
    }

    /// A value's fetch began.
    func fetchBegan(_ fetch: ObjectIdentifier) { outage.fetchBegan(fetch) }

    /// A value's fetch succeeded: after an outage it is asked for before those of which nothing is known.
    func fetchSucceeded(_ value: ParameterKey) {
        outage.end()
        provenValues.insert((), for: value)
        _ = provenValues.evict(beyond: Self.mostProvenValues) { true }
    }

    /// A value's fetch failed; `random` is 0..<1 and spreads the back-off.
    func fetchFailed(
        _ fetch: ObjectIdentifier, for request: RequestParameters, _ failure: FetchFailure,
        _ now: ContinuousClock.Instant, random: Double
    ) {
        if areToBlame(request, for: failure.error) {
            outage.valueRefused(fetch, now: now)
        } else {
            outage.fetchFailed(fetch, failure, now: now, random: random)
        }
    }

    /// The secrets are others: nothing is known against the client.
    func secretsChanged() { outage.end() }
}
