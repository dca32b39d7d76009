/// One configured credential with what is known of it now.
///
/// Owned by the manager and used on its executor only.
final class CredentialRecord {
    let configuration: CredentialConfiguration
    let kind: CredentialKind
    /// The credential among those who mean tokens; its secrets are those in use.
    let holder: TokenHolder
    /// Its values, where the token depends on the request.
    let variants: CredentialVariants?
    var tally: FetchTally
    /// The readings of the secrets or the value.
    var watch: SecretWatch
    /// The refresh token's way back to its file.
    var rotation: RefreshTokenRotation
    /// The value, where it is read and not fetched.
    var value = LocalValue.empty

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

    /// What is wrong now: with the last attempt, with the secrets, or with a refresh token's way back to its file.
    ///
    /// A secret that cannot be read comes first: it is often the reason for failed attempts.
    var problem: TokenError? { watch.error ?? tally.lastError ?? rotation.error }

    /// When the first of the certificates among the secrets ends, in seconds since 1970.
    var certificateExpiresAt: Int64? {
        [.tlsCertificate, .clientAssertionCertificate, .assertionCertificate]
            .compactMap { holder.secrets?[$0].flatMap { SigningKey.validity(certificate: $0.value)?.notAfter } }.min()
    }

    /// Whether it is time to read the secrets or the value.
    func isReadingDue(at now: ContinuousClock.Instant) -> Bool {
        if case .broken = kind { return false }
        // The file is being written by ourselves.
        return !rotation.isUnderWay && watch.isDue(at: now)
    }

    /// Whether callers can be answered without a further reading.
    func isServing(at now: ContinuousClock.Instant) -> Bool {
        switch kind {
        case .grant: holder.secrets != nil
        case .local: value.reading(at: now) != nil
        case .broken: true
        }
    }

    /// What a request means, where its token may be kept already.
    func knownHolder(for request: RequestParameters) -> TokenHolder? {
        guard let variants else { return holder }
        return variants.holder(for: request)
    }

    /// Whether what is wrong is known until a file is read again.
    var hasSecretProblem: Bool {
        if case .local = kind { return problem != nil }
        return watch.error != nil
    }

    /// The secrets or the value can be read and used.
    ///
    /// - Returns: For how long they could not; nil if they could.
    func recover(_ now: ContinuousClock.Instant) -> Duration? {
        let recovered = watch.recovered(now)
        tally.recover(from: recovered.error)
        return recovered.after
    }
}
