import Signing

/// One configured credential with its current state.
///
/// Owned by the manager and used on its executor only.
final class CredentialRecord {
    private(set) var configuration: CredentialConfiguration
    /// Tells it from other credentials that had the name before or will have it.
    let version: Int
    /// Whether another configuration has taken its place, so that nothing is fetched or served any more.
    private(set) var isRetired = false
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
    /// The certificates among the secrets at the last question, which are parsed only once.
    private var certificates: (texts: [SecretText], validity: CertificateValidity?) = ([], nil)
    /// The generations of the readings of the value.
    var generations = TokenGeneration.Count()

    init(_ configuration: CredentialConfiguration, version: Int) {
        self.configuration = configuration
        self.version = version
        kind = CredentialKind(configuration)
        holder = TokenHolder(configuration.name)
        variants = CredentialVariants(configuration, kind)
        tally = FetchTally(kind.problem)
        watch = SecretWatch(isWatched: kind.isWatched)
        rotation = RefreshTokenRotation(path: kind.refreshTokenPath)
    }

    var name: String { configuration.name }

    /// Another configuration differs only in whether readiness depends on the credential.
    func setRequired(_ isRequired: Bool) { configuration.isRequired = isRequired }

    /// Another configuration has taken its place.
    func retire() {
        isRetired = true
        watch.stop()
    }

    /// The current problem: of the last attempt, of the secrets, or of writing a refresh token to its file.
    ///
    /// An unreadable secret comes first, because it is often the reason for failed attempts.
    var problem: TokenError? { watch.error ?? tally.lastError ?? rotation.error }

    /// The time in which all certificates among the secrets are valid; nil without one.
    var certificateValidity: CertificateValidity? {
        let texts = [SecretRole.tlsCertificate, .clientAssertionCertificate, .assertionCertificate]
            .compactMap { holder.secrets?[$0] }
        if texts == certificates.texts { return certificates.validity }
        certificates = (texts, CertificateValidity(ofAll: texts))
        return certificates.validity
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

extension CertificateValidity {
    /// The time in which all of these certificates in PEM are valid; nil without a usable one.
    fileprivate init?(ofAll texts: [SecretText]) {
        let found = texts.compactMap { SigningKey.validity(certificate: $0.value) }
        guard let start = found.map(\.notBefore).max(), let end = found.map(\.notAfter).min() else { return nil }
        self.init(notBefore: start, notAfter: end)
    }
}
