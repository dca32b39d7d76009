/// How a credential is doing, for readiness, metrics and status pages; it holds no secret and no token.
public struct CredentialStatus: Sendable, Equatable {
    /// What the credential's token is doing.
    public enum State: String, Sendable {
        /// There is none, and nobody has asked for one.
        case empty
        /// There is none, or one that a backend refused and that is served again only if no other can be had; one is being
        /// fetched, and requests wait for it.
        case fetching
        /// There is a usable one.
        case fresh
        /// There is a usable one, and its successor is being fetched.
        case refreshing
        /// There is none, and the last attempt failed.
        case failed
    }

    /// The credential's name.
    public var name: String
    /// What its token is doing.
    public var state: State
    /// When the next token will be asked for, if that is planned.
    public var refreshAt: ContinuousClock.Instant?
    /// The hard end: from when on the token is not sent any more; nil without a token or without an end.
    public var expiresAt: ContinuousClock.Instant?
    /// The last attempt's error, nil once an attempt succeeded and while nothing is wrong with the secrets' files.
    ///
    /// A token server's refusal of what one request said, its value or its own token, is none of the credential's.
    public var lastError: TokenError?
    /// When the manager tries next to put `lastError` right, if that is planned.
    public var nextAttempt: ContinuousClock.Instant?
    /// How many fetches succeeded.
    public var succeeded: Int
    /// How many fetches failed.
    public var failed: Int
    /// How many values' tokens are kept for a parameterised credential; nil for an ordinary one.
    ///
    /// The state of a parameterised credential is `empty` while there is none, else `fresh`; `failed` where its settings or
    /// secrets cannot be used, whatever a request says.
    public var valueCount: Int?
    /// When the first of the certificates that the credential shows to its token server ends, in seconds since 1970; nil
    /// without one.
    public var certificateExpiresAt: Int64?
    /// Whether readiness depends on the credential, as its configuration says.
    public var isRequired: Bool

    /// Creates a status.
    ///
    /// - Parameters:
    ///   - name: The credential's name.
    ///   - state: What its token is doing.
    ///   - refreshAt: When the next token will be asked for.
    ///   - expiresAt: The hard end.
    ///   - lastError: The last attempt's error.
    ///   - succeeded: How many fetches succeeded.
    ///   - failed: How many fetches failed.
    ///   - valueCount: How many values' tokens are kept for a parameterised credential.
    ///   - certificateExpiresAt: When the first of its certificates ends, in seconds since 1970.
    ///   - isRequired: Whether readiness depends on the credential.
    ///   - nextAttempt: When the manager tries next to put the error right.
    public init(
        name: String, state: State, refreshAt: ContinuousClock.Instant? = nil,
        expiresAt: ContinuousClock.Instant? = nil, lastError: TokenError? = nil, succeeded: Int = 0, failed: Int = 0,
        valueCount: Int? = nil, certificateExpiresAt: Int64? = nil, isRequired: Bool = true,
        nextAttempt: ContinuousClock.Instant? = nil
    ) {
        self.name = name
        self.state = state
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

    /// Whether nothing is wrong with the credential itself: a parameterised one needs no token before somebody asks, and
    /// a value that its token server refuses says nothing about the others.
    public var isReady: Bool {
        valueCount == nil ? isUsable : state != .failed
    }
}
