/// One configured credential with its current state.
///
/// Owned by the manager and used on its executor only.
final class CredentialRecord {
    let configuration: CredentialConfiguration
    let kind: CredentialKind
    /// The credential as a holder of a token; its secrets are those in use.
    let holder: TokenHolder
    /// The credential's variants, if its token depends on the request.
    let variants: CredentialVariants?
    var tally: FetchTally
    /// The reads of the secrets or the value.
    var watch: SecretWatch
    /// The writing of new refresh tokens to their file.
    var rotation: RefreshTokenRotation
    /// The value, if it is read and not fetched.
    var value = LocalValue.empty
    /// The generations of the readings of the value.
    var generations = TokenGeneration.Count()

    init(_ configuration: CredentialConfiguration) {
        self.configuration = configuration
        kind = CredentialKind(configuration)
        holder = TokenHolder(configuration.name)
        variants = CredentialVariants(configuration, kind)
        tally = FetchTally(kind.problem)
        watch = SecretWatch(isWatched: kind.isWatched)
        rotation = RefreshTokenRotation(path: kind.refreshTokenPath)
    }

    var name: String { configuration.name }

    /// The current problem: of the last attempt, of the secrets, or of writing a refresh token to its file.
    ///
    /// An unreadable secret comes first, because it is often the reason for failed attempts.
    var problem: TokenError? { watch.error ?? tally.lastError ?? rotation.error }

    /// When the first of the certificates among the secrets expires, in seconds since 1970.
    var certificateExpiresAt: Int64? {
        [.tlsCertificate, .clientAssertionCertificate, .assertionCertificate]
            .compactMap { holder.secrets?[$0].flatMap { SigningKey.validity(certificate: $0.value)?.notAfter } }.min()
    }

    /// Whether the secrets or the value are due to be read.
    func isReadingDue(at now: ContinuousClock.Instant) -> Bool {
        if case .broken = kind { return false }
        // This process is writing the file itself.
        return !rotation.isUnderWay && watch.isDue(at: now)
    }

    /// Whether callers can be answered without another read.
    func isServing(at now: ContinuousClock.Instant) -> Bool {
        switch kind {
        case .grant: holder.secrets != nil
        case .local: value.reading(at: now) != nil
        case .broken: true
        }
    }

    /// The holder of the token that a request needs, if that token is kept already.
    func knownHolder(for request: RequestParameters) -> TokenHolder? {
        guard let variants else { return holder }
        return variants.holder(for: request)
    }

    /// Whether the problem lasts until a file is read again.
    var hasSecretProblem: Bool {
        if case .local = kind { return problem != nil }
        return watch.error != nil
    }

    /// The secrets or the value are readable and usable again.
    ///
    /// - Returns: How long they were not; nil if they were all the time.
    func recover(_ now: ContinuousClock.Instant) -> Duration? {
        let recovered = watch.recovered(now)
        tally.recover(from: recovered.error)
        return recovered.after
    }
}
