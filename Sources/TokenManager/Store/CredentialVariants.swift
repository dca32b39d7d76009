/// The variants of one parameterised credential whose tokens are kept, and what their fetches say about the client.
///
/// A client that sends requests can name any number of values. What one fetch says about the OAuth client holds for
/// all variants.
final class CredentialVariants {
    /// The number of variants of which a credential remembers that they have had a token.
    private static let mostProvenValues = 1000

    private let configuration: CredentialConfiguration
    /// The parts of a request that select the token.
    private let parameters: [RequestParameter]
    /// The places of the credential's secrets.
    private let places: [SecretRole: Secret]
    /// Whether a request names a part of the token endpoint's path.
    private let standInPath: Bool
    /// The variants whose tokens are kept.
    private var kept: [ParameterKey: TokenHolder] = [:]
    /// The variants that have had a token at any time.
    private var provenValues = TokenCache<ParameterKey, Void>(capacity: CredentialVariants.mostProvenValues)
    /// The failures that concern the client.
    private var outage = ClientOutage.none

    /// Nil for a credential that has one token for all requests.
    init?(_ configuration: CredentialConfiguration, _ kind: CredentialKind) {
        parameters = configuration.parameters
        guard !parameters.isEmpty, case .grant(_, let places) = kind else { return nil }
        self.configuration = configuration
        self.places = places
        standInPath = configuration.source.hasParameterInPath
    }

    // MARK: Variants

    /// All variants whose tokens are kept.
    var holders: [TokenHolder] { Array(kept.values) }

    /// The variant that a request needs, if its token is kept.
    func holder(for request: RequestParameters) -> TokenHolder? {
        ParameterKey(request, of: parameters).flatMap { kept[$0] }
    }

    /// Keeps a variant from now on.
    func keep(_ variant: TokenVariant) -> TokenHolder {
        let holder = TokenHolder(configuration.name, variant: variant)
        kept[variant.key] = holder
        return holder
    }

    /// Stops keeping a variant's token.
    func forget(_ variant: TokenVariant) { kept[variant.key] = nil }

    /// The variant that a request needs.
    ///
    /// - Parameters:
    ///   - request: The values of the request.
    ///   - now: The time.
    ///   - unixTime: The same moment in seconds since 1970.
    /// - Returns: The variant, which is not kept yet.
    /// - Throws: `TokenError` if a value is missing or unusable.
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

    /// The error for a caller whose own token has expired.
    var subjectEnded: TokenError {
        TokenError(
            credential: configuration.name, kind: .subjectTokenUnusable,
            message: "the request's own bearer token has expired: send a valid one")
    }

    /// The grant with a request's values filled into the settings.
    ///
    /// The values are not templates themselves: a brace in a value stays a brace.
    private func grant(for request: RequestParameters) throws(UnusableParameter) -> TokenGrant {
        guard var draft = GrantDraft(try configuration.source.filled(request)) else {
            preconditionFailure("only what is fetched depends on a request")
        }
        draft.secrets = places
        return TokenGrant(draft)
    }

    /// When a request's own token expires, if the token says so.
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

    /// Whether a token server's refusal concerns only what the requests say, and no other variant.
    func areToBlame(_ request: RequestParameters, for error: TokenError) -> Bool {
        request.areToBlame(for: error, standInPath: standInPath)
    }

    /// When the back-off of all variants ends; nil if none runs.
    var retryAt: ContinuousClock.Instant? { outage.retryAt }

    /// Why no fetch may begin for a variant; nil if it may.
    func refusal(of value: ParameterKey, at now: ContinuousClock.Instant) -> TokenError? {
        // If no variant is proven, each may be the attempt for all directly after the back-off.
        let isProven = provenValues.count == 0 || provenValues.peek(value) != nil
        return outage.refusal(at: now, isProven: isProven)
    }

    /// A variant's fetch began.
    func fetchBegan(_ fetch: ObjectIdentifier) { outage.fetchBegan(fetch) }

    /// A variant's fetch succeeded: after an outage it may fetch before variants that have never had a token.
    func fetchSucceeded(_ value: ParameterKey) {
        outage.end()
        provenValues.insert((), for: value)
        _ = provenValues.evict(beyond: Self.mostProvenValues) { true }
    }

    /// A variant's fetch failed; `random` is in 0..<1 and spreads the back-off.
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

    /// The secrets changed, which ends the back-off.
    func secretsChanged() { outage.end() }
}

/// One variant of a parameterised credential: the values in its requests, and the grant for them.
struct TokenVariant {
    /// All variants of the credential.
    unowned let siblings: CredentialVariants
    let key: ParameterKey
    /// The values in the requests that need this variant.
    let request: RequestParameters
    /// The end of the requests' own token, if that is exchanged and states one.
    let end: ContinuousClock.Instant?
    /// The grant to request; its secrets are the credential's.
    let grant: TokenGrant

    /// The credential's secrets, with the token that the requests bring themselves.
    func secrets(_ secrets: SecretTexts) -> SecretTexts {
        guard let token = request.bearerToken else { return secrets }
        var secrets = secrets
        secrets[.subjectToken] = SecretText(token)
        return secrets
    }
}
