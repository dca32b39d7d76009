/// The reads of one credential's secrets or value: when one begins, which callers wait for it, and what the last one
/// found.
///
/// It knows no clock and reads nothing itself: its owner does, and reports every event.
struct SecretWatch: ~Copyable {
    /// How often a secret in a file is read.
    static let interval: Duration = .seconds(1)
    /// A longer read is reported as a failure, and callers no longer wait for it.
    static let timeout: Duration = .seconds(10)

    /// Whether the next read may bring another content.
    let isWatched: Bool
    /// The secrets as they were last readable.
    private(set) var lastRead: SecretTexts?
    /// Why the secrets or the value were unreadable or unusable at the last read.
    private(set) var error: TokenError?
    /// Since when the secrets or the value are unreadable or unusable.
    private var unusableSince: ContinuousClock.Instant?
    private var reading = SecretReading.idle
    /// When the last read began.
    private var begunAt: ContinuousClock.Instant?
    /// The callers that wait for the end of the read.
    private var waiting: [Waiter<Void>] = []
    /// The read in progress.
    private var task: Task<Void, Never>?
    /// Reports a read that takes too long.
    private var limit: Task<Void, Never>?

    init(isWatched: Bool) { self.isWatched = isWatched }

    // MARK: A read

    /// Whether a read is due: once for every secret, and again and again for files.
    func isDue(at now: ContinuousClock.Instant) -> Bool {
        guard let begunAt else { return true }
        return isWatched && now >= begunAt + Self.interval
    }

    /// Whether the result will be used soon, so that callers may wait for it.
    var isAwaited: Bool { reading.isAwaited }

    /// The places should be read.
    mutating func begin(_ now: ContinuousClock.Instant) -> SecretReading.BeginAction {
        let action = reading.begin()
        switch action {
        case .read: begunAt = now
        case .none: break
        }
        return action
    }

    /// A read has begun in `task`; `limit` reports if it takes too long.
    mutating func begun(in task: Task<Void, Never>, limit: Task<Void, Never>?) {
        self.task = task
        self.limit = limit
    }

    /// The read has come to this place.
    mutating func reached(_ place: Secret) { reading.reached(place) }

    /// The read ended.
    mutating func ended() -> SecretReading.EndedAction {
        limit?.cancel()
        limit = nil
        task = nil
        return reading.ended()
    }

    /// The read has reached its time limit.
    ///
    /// - Returns: The error, unless it was reported before.
    mutating func timedOut() -> TokenError? {
        switch reading.timedOut() {
        case .report(let place):
            let seconds = Self.timeout.components.seconds
            let message =
                "\(place?.place ?? "a secret") could not be read for \(seconds) s: "
                + "look at the file system that holds it"
            return TokenError(kind: .secretUnreadable, message: message)
        case .none: return nil
        }
    }

    /// This process began to write one of the files, so no caller waits for the read in progress.
    mutating func writingBegan() {
        reading.writingBegan()
        resumeWaiting()
    }

    /// No result counts any more.
    mutating func stop() {
        limit?.cancel()
        limit = nil
        // A task that waits for a file could not continue after its loop has stopped.
        task?.cancel()
        task = nil
        resumeWaiting()
    }

    // MARK: Callers that wait for it

    /// Parks a caller until the read ends or no caller waits any more.
    mutating func park() -> Waiter<Void> {
        let waiter = Waiter<Void>()
        waiting.append(waiter)
        return waiter
    }

    /// Ends the wait of all callers.
    mutating func resumeWaiting() {
        let waiting = waiting
        self.waiting = []
        for waiter in waiting { waiter.resume(()) }
    }

    // MARK: What it found

    /// What the secrets of a read mean.
    enum Found: Equatable {
        /// They are unchanged.
        case nothingNew
        /// They are used once the token server has answered the request with the current refresh token.
        case tooEarly
        /// They are used from now on; `isRefreshTokenNew` says that another process has put a refresh token into its
        /// file.
        case use(SecretTexts, isRefreshTokenNew: Bool)
    }

    /// The secrets were read.
    ///
    /// - Parameters:
    ///   - secrets: The secrets in their places.
    ///   - inUse: The secrets in use.
    ///   - isSpending: Whether the refresh token in use was sent and not answered yet.
    /// - Returns: What they mean.
    mutating func secretsRead(_ secrets: SecretTexts, inUse: SecretTexts?, isSpending: Bool) -> Found {
        guard secrets != lastRead else { return .nothingNew }
        let isRefreshTokenNew = secrets[.refreshToken] != lastRead?[.refreshToken]
        // The refresh token that was sent can be used only once: other changes wait for its successor.
        if !isRefreshTokenNew, isSpending { return .tooEarly }
        lastRead = secrets
        var secrets = secrets
        // The refresh token in the file may be spent while its successor is being written.
        if !isRefreshTokenNew { secrets[.refreshToken] = inUse?[.refreshToken] }
        return .use(secrets, isRefreshTokenNew: isRefreshTokenNew)
    }

    /// This process wrote the refresh token to its file.
    mutating func refreshTokenWritten(_ refreshToken: SecretText) { lastRead?[.refreshToken] = refreshToken }

    /// The secrets or the value are unreadable or unusable.
    ///
    /// - Returns: Whether the error is a new one.
    mutating func failed(_ error: TokenError, _ now: ContinuousClock.Instant) -> Bool {
        defer { self.error = error }
        becameUnusable(now)
        return self.error != error
    }

    /// The content of the last read is no longer usable.
    mutating func becameUnusable(_ now: ContinuousClock.Instant) { unusableSince = unusableSince ?? now }

    /// The secrets or the value are readable and usable again.
    ///
    /// - Returns: The error that this ended, and how long they were not usable.
    mutating func recovered(_ now: ContinuousClock.Instant) -> (error: TokenError?, after: Duration?) {
        defer { (error, unusableSince) = (nil, nil) }
        return (error, unusableSince.map { now - $0 })
    }
}
