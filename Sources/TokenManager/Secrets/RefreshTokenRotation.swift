/// The rotation of one credential's refresh token: whether the file holds what is in use, and the writing under way.
///
/// It writes nothing: its owner does, and reports every event.
struct RefreshTokenRotation: ~Copyable {
    /// How long the end waits for a token server that has been sent a refresh token.
    static let patience: Duration = .seconds(5)

    /// The file that the refresh token is read from and its successors are written to; nil for other credentials.
    let path: String?
    /// The writing that is under way.
    private(set) var task: Task<Void, Never>?
    private var writing = SecretWriting.done
    /// Whether it was told that another process replaces the refresh token in the file.
    private var hasToldReplacement = false

    init(path: String?) { self.path = path }

    /// What went wrong, while it has not been put right.
    var error: TokenError? { writing.error }

    /// When it is written again after a failure; nil where none waits.
    var retryAt: ContinuousClock.Instant? { writing.retryAt }

    /// Whether what is in use may be known to this process alone.
    var isUnsaved: Bool { writing.isUnsaved }

    /// Whether the file may change at any moment by our own hand.
    var isUnderWay: Bool { writing.isUnderWay }

    /// The server has replaced the refresh token in use.
    mutating func replaced() -> SecretWriting.BeginAction { writing.replaced() }

    /// The server has replaced the refresh token in use by one that cannot be kept.
    ///
    /// - Returns: What to report, if it has not been reported.
    mutating func lost(_ reason: String, _ credential: String) -> TokenError? {
        guard let path else { return nil }
        let message =
            "the token server gave a new refresh token that \(reason), so it cannot be kept, and the old one may be "
            + "spent: obtain another refresh token and put it into \(path)"
        switch writing.lost(TokenError(credential: credential, kind: .secretUnwritable, message: message)) {
        case .report(let error): return error
        case .none: return nil
        }
    }

    /// The server has taken the refresh token in use and not replaced it.
    mutating func usedAgain() { writing.usedAgain() }

    /// Time has passed, which may have what could not be written tried again.
    mutating func timeReached(_ now: ContinuousClock.Instant) -> SecretWriting.BeginAction { writing.timeReached(now) }

    /// The owner stops: what has failed is tried a last time.
    mutating func stopped() -> SecretWriting.BeginAction { writing.stopped() }

    /// Somebody else has changed the file, whose content counts from now on.
    mutating func fileChanged() { writing.fileChanged() }

    /// Another process has put a refresh token into the file while nothing was wrong with the one in use.
    ///
    /// - Returns: The file, to be told once.
    mutating func replacedByAnother() -> String? {
        guard !hasToldReplacement, let path else { return nil }
        hasToldReplacement = true
        return path
    }

    /// A writing has begun in this task.
    mutating func begun(in task: Task<Void, Never>) { self.task = task }

    /// A writing came to its end; without a failure the file holds what was written, or somebody else's.
    mutating func writingEnded(
        _ failure: TokenError?, _ now: ContinuousClock.Instant
    ) -> SecretWriting.WritingEndedAction {
        let action = writing.writingEnded(failure, now: now)
        switch action {
        case .writeAgain: break
        case .report, .none: task = nil
        }
        return action
    }
}
