/// How a credential is doing, for readiness, metrics and status pages; it holds no secret and no token.
public struct CredentialStatus: Sendable, Equatable {
    /// What the credential's token is doing.
    public enum State: String, Sendable {
        /// There is none, and nobody has asked for one.
        case empty
        /// There is none, and one is being fetched.
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
    /// The last attempt's error, nil once an attempt succeeded.
    public var lastError: TokenError?
    /// How many fetches succeeded.
    public var succeeded: Int
    /// How many fetches failed.
    public var failed: Int

    /// Whether a request would be served without waiting.
    public var isUsable: Bool { state == .fresh || state == .refreshing }
}
