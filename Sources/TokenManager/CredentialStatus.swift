import Signing

/// The state of a credential for readiness, metrics and status pages; it holds no secret and no token.
public struct CredentialStatus: Sendable, Equatable {
    /// The state of the credential's token.
    public enum State: String, Sendable {
        /// There is no token, and no caller has asked for one.
        case empty
        /// A token is being fetched and requests wait for it.
        ///
        /// There is no other token, or only one that a backend refused; that one is served again only if no other can
        /// be fetched.
        case fetching
        /// There is a usable token.
        case fresh
        /// There is a usable token, and its successor is being fetched.
        case refreshing
        /// There is no token, and the last attempt failed.
        case failed
    }

    /// The credential's name.
    public var name: String
    /// The state of its token.
    public var state: State
    /// When the usable token arrived, or the usable value was read for the first time; nil without one.
    public var receivedAt: ContinuousClock.Instant?
    /// When the next token will be fetched, if that is planned.
    public var refreshAt: ContinuousClock.Instant?
    /// The hard end: the instant from which the token is not sent; nil without a token or without an end.
    public var expiresAt: ContinuousClock.Instant?
    /// The last attempt's error; nil once an attempt has succeeded and all files of secrets are usable.
    ///
    /// A refusal that concerns only what one request said, its value or its own token, is not an error of the
    /// credential.
    public var lastError: TokenError?
    /// When the manager tries next to resolve `lastError`, if that is planned.
    public var nextAttempt: ContinuousClock.Instant?
    /// How many fetches succeeded.
    public var succeeded: Int
    /// How many fetches failed.
    public var failed: Int
    /// The number of variants whose tokens are kept for a parameterised credential; nil for an ordinary one.
    ///
    /// The state of a parameterised credential is `empty` without such tokens, else `fresh`. It is `failed` if the
    /// settings or secrets are unusable for every request.
    public var valueCount: Int?
    /// When the first of the client certificates for the token server expires, in seconds since 1970; nil without
    /// one.
    public var certificateExpiresAt: Int64?
    /// When the last of these certificates becomes valid, in seconds since 1970; nil without one.
    public var certificateValidFrom: Int64?
    /// Whether readiness depends on the credential, as its configuration says.
    public var isRequired: Bool

    /// Creates a status.
    ///
    /// - Parameters:
    ///   - name: The credential's name.
    ///   - state: The state of its token.
    ///   - refreshAt: When the next token will be fetched.
    ///   - expiresAt: The hard end.
    ///   - lastError: The last attempt's error.
    ///   - succeeded: How many fetches succeeded.
    ///   - failed: How many fetches failed.
    ///   - valueCount: The number of variants whose tokens are kept for a parameterised credential.
    ///   - certificateExpiresAt: When the first of its certificates expires, in seconds since 1970.
    ///   - isRequired: Whether readiness depends on the credential.
    ///   - nextAttempt: When the manager tries next to resolve the error.
    ///   - receivedAt: When the usable token arrived.
    public init(
        name: String, state: State, refreshAt: ContinuousClock.Instant? = nil,
        expiresAt: ContinuousClock.Instant? = nil, lastError: TokenError? = nil, succeeded: Int = 0, failed: Int = 0,
        valueCount: Int? = nil, certificateExpiresAt: Int64? = nil, isRequired: Bool = true,
        nextAttempt: ContinuousClock.Instant? = nil, receivedAt: ContinuousClock.Instant? = nil
    ) {
        self.name = name
        self.state = state
        self.receivedAt = receivedAt
        self.refreshAt = refreshAt
        self.expiresAt = expiresAt
        self.lastError = lastError
        self.succeeded = succeeded
        self.failed = failed
        self.valueCount = valueCount
        self.certificateExpiresAt = certificateExpiresAt
        self.isRequired = isRequired
        self.nextAttempt = nextAttempt
    }

    /// Whether a request would be served without waiting.
    public var isUsable: Bool { state == .fresh || state == .refreshing }

    /// Whether the credential itself has no problem.
    ///
    /// A parameterised credential needs no token before a request comes, and a refusal of one variant says nothing
    /// about the others.
    public var isReady: Bool {
        valueCount == nil ? isUsable : state != .failed
    }
}

/// The states of the credentials; reading them changes nothing.
extension TokenManager {
    /// The state of every credential, in the order of the configuration.
    ///
    /// - Returns: One status for each credential.
    public func status() -> [CredentialStatus] {
        let now = clock.now
        return credentials.map { status(of: $0, now) }
    }

    private func status(of record: CredentialRecord, _ now: ContinuousClock.Instant) -> CredentialStatus {
        var status = CredentialStatus(
            name: record.name, state: record.problem == nil ? .empty : .failed, refreshAt: nil, expiresAt: nil,
            lastError: record.problem, succeeded: record.tally.succeeded, failed: record.tally.failed,
            isRequired: record.configuration.isRequired)
        status.certificateValidFrom = record.certificateValidity?.notBefore
        status.certificateExpiresAt = record.certificateValidity?.notAfter
        let refreshAt = store.view(of: record.holder, at: now)?.refreshAt
        status.nextAttempt = nextAttempt(of: record, entry: refreshAt, now)
        switch record.kind {
        case .broken: break
        case .local:
            guard let reading = record.value.reading(at: now) else { break }
            status.state = .fresh
            status.receivedAt = reading.readAt
            status.expiresAt = reading.usableUntil
        case .grant:
            if let variants = record.variants {
                let count = variants.holders.count { store.view(of: $0, at: now)?.usableUntil != nil }
                status.valueCount = count
                status.state = count == 0 ? .empty : .fresh
                if record.holder.secrets == nil, record.watch.error != nil { status.state = .failed }
            } else if let view = store.view(of: record.holder, at: now) {
                status.state = view.state
                status.receivedAt = view.receivedAt
                status.refreshAt = view.refreshAt
                status.expiresAt = view.usableUntil
            }
        }
        return status
    }

    /// How long a credential's token or value is still sent, if it has an end.
    func servesFor(_ record: CredentialRecord, _ now: ContinuousClock.Instant) -> Duration? {
        let end: ContinuousClock.Instant?
        if case .local = record.kind {
            end = record.value.reading(at: now)?.usableUntil
        } else {
            end = store.view(of: record.holder, at: now)?.usableUntil
        }
        return end.map { $0 - now }
    }
}

/// When the manager tries next to resolve a problem, for the log and the status alike.
extension TokenManager {
    /// The next attempt for a credential with a problem; nil without a problem, and if none is planned.
    ///
    /// - Parameters:
    ///   - record: The credential.
    ///   - entry: When the entry of its token, or of the variant that failed, asks again.
    ///   - now: The time.
    /// - Returns: The instant.
    func nextAttempt(
        of record: CredentialRecord, entry: ContinuousClock.Instant?, _ now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant? {
        guard record.problem != nil else { return nil }
        if record.hasSecretProblem { return record.kind.isWatched ? now + SecretWatch.interval : nil }
        guard record.tally.lastError != nil else { return record.rotation.retryAt }
        guard let shared = record.variants?.retryAt else { return entry }
        return max(entry ?? shared, shared)
    }
}
