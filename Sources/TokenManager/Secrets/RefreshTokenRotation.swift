/// The rotation of one credential's refresh token: whether the file holds the one in use, and the write in progress.
///
/// It writes nothing itself: its owner does, and reports every event.
struct RefreshTokenRotation: ~Copyable {
    /// How long the manager's end waits for a token server that has received a refresh token.
    static let timeout: Duration = .seconds(5)

    /// The file from which the refresh token is read and to which new ones are written; nil for other credentials.
    let path: String?
    /// The write in progress.
    private(set) var task: Task<Void, Never>?
    private var writing = SecretWriting.done
    /// Whether the observer knows that another process replaces the refresh token in the file.
    private var hasToldReplacement = false

    init(path: String?) { self.path = path }

    /// The error, until it is resolved.
    var error: TokenError? { writing.error }

    /// When a failed write is repeated; nil if none has to be.
    var retryAt: ContinuousClock.Instant? { writing.retryAt }

    /// Whether only this process may know the refresh token in use.
    var isUnsaved: Bool { writing.isUnsaved }

    /// Whether this process may change the file at any moment.
    var isUnderWay: Bool { writing.isUnderWay }

    /// The server has replaced the refresh token in use.
    mutating func replaced() -> SecretWriting.BeginAction { writing.replaced() }

    /// The server has replaced the refresh token in use by one that cannot be kept.
    ///
    /// - Returns: The error, unless it was reported before.
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

    /// The server has accepted the refresh token in use and not replaced it.
    mutating func usedAgain() { writing.usedAgain() }

    /// Time has passed, and a failed write may be due again.
    mutating func timeReached(_ now: ContinuousClock.Instant) -> SecretWriting.BeginAction { writing.timeReached(now) }

    /// The owner tries a failed write now, because it will stop or forget the refresh token.
    mutating func triedNow() -> SecretWriting.BeginAction { writing.triedNow() }

    /// Another process has changed the file, whose content is used from now on.
    mutating func fileChanged() { writing.fileChanged() }

    /// Another process has put a refresh token into the file although the one in use had no problem.
    ///
    /// - Returns: The file, to be reported once.
    mutating func replacedByAnother() -> String? {
        guard !hasToldReplacement, let path else { return nil }
        hasToldReplacement = true
        return path
    }

    /// A write has begun in this task.
    mutating func begun(in task: Task<Void, Never>) { self.task = task }

    /// A write ended; without a failure, the file holds the written text or another process's.
    mutating func writingEnded(
        _ failure: TokenError?, _ now: ContinuousClock.Instant
    ) -> SecretWriting.WritingEndedAction {
        let action = writing.writingEnded(failure, now: now)
        switch action {
        case .writeAgain: break
        case .report, .reportWritten, .none: task = nil
        }
        return action
    }
}
