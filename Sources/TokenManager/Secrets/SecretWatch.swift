/// The readings of one credential's secrets or value: when one begins, who waits for it, and what the last one found.
///
/// It knows no clock and reads nothing: its owner does, and reports every event.
struct SecretWatch: ~Copyable {
    /// How often a secret in a file is looked at.
    static let interval: Duration = .seconds(1)
    /// A longer reading is reported as a failure, and nobody waits for it any more.
    static let patience: Duration = .seconds(10)

    /// Whether something may read otherwise the next time.
    let isWatched: Bool
    /// What was in the places of the secrets when they were last readable.
    private(set) var lastRead: SecretTexts?
    /// Why the secrets or the value could not be read or used the last time.
    private(set) var error: TokenError?
    /// Since when the secrets or the value cannot be read or used.
    private var unusableSince: ContinuousClock.Instant?
    private var reading = SecretReading.idle
    /// When the last reading began.
    private var begunAt: ContinuousClock.Instant?
    /// Those who wait for the end of the reading.
    private var waiting: [Waiter<Void>] = []
    /// The reading that is under way.
    private var task: Task<Void, Never>?
    /// Reports a reading that takes too long.
    private var limit: Task<Void, Never>?

    init(isWatched: Bool) { self.isWatched = isWatched }

    // MARK: A reading

    /// Whether it is time to read: once, and what is in files again and again.
    func isDue(at now: ContinuousClock.Instant) -> Bool {
        guard let begunAt else { return true }
        return isWatched && now >= begunAt + Self.interval
    }

    /// Whether what is being read will be used soon, so that callers may wait for it.
    var isAwaited: Bool { reading.isAwaited }

    /// Somebody wants the places to be read.
    mutating func begin(_ now: ContinuousClock.Instant) -> SecretReading.BeginAction {
        let action = reading.begin()
        switch action {
        case .read: begunAt = now
        case .none: break
        }
        return action
    }

    /// A reading has begun in this task; the other one reports if it takes too long.
    mutating func begun(in task: Task<Void, Never>, limit: Task<Void, Never>?) {
        self.task = task
        self.limit = limit
    }

    /// The reading has come to this place.
    mutating func reached(_ place: Secret) { reading.reached(place) }

    /// The reading came to its end.
    mutating func ended() -> SecretReading.EndedAction {
        limit?.cancel()
        limit = nil
        task = nil
        return reading.ended()
    }

    /// The reading has taken as long as it may.
    ///
    /// - Returns: What to report, if it has not been reported.
    mutating func timedOut() -> TokenError? {
        switch reading.timedOut() {
        case .report(let place):
            let seconds = Self.patience.components.seconds
            let message =
                "\(place?.place ?? "a secret") could not be read for \(seconds) s: "
                + "look at the file system that holds it"
            return TokenError(kind: .secretUnreadable, message: message)
        case .none: return nil
        }
    }

    /// We began to write one of the files, so nobody waits for what is being read.
    mutating func writingBegan() {
        reading.writingBegan()
        resumeWaiting()
    }

    /// Nothing that is read counts any more.
    mutating func stop() {
        limit?.cancel()
        limit = nil
        // A task that waits for a file could not go on when its loop has stopped.
        task?.cancel()
        task = nil
        resumeWaiting()
    }

    // MARK: Those who wait for it

    /// Parks a caller until the reading ends or is given up.
    mutating func park() -> Waiter<Void> {
        let waiter = Waiter<Void>()
        waiting.append(waiter)
        return waiter
    }

    /// Lets nobody wait any more.
    mutating func resumeWaiting() {
        let waiting = waiting
        self.waiting = []
        for waiter in waiting { waiter.resume(()) }
    }

    // MARK: What it found

    /// What secrets that were read mean.
    enum Found: Equatable {
        /// They are the ones that were read before.
        case nothingNew
        /// They count once the refresh token that is on its way has been answered.
        case tooEarly
        /// They are in use from now on; where it is said, with a refresh token that somebody else has put into its file.
        case use(SecretTexts, isRefreshTokenNew: Bool)
    }

    /// The secrets were read.
    ///
    /// - Parameters:
    ///   - secrets: What is in their places.
    ///   - inUse: The secrets in use.
    ///   - isSpending: Whether the refresh token in use was sent and not answered yet.
    /// - Returns: What they mean.
    mutating func secretsRead(_ secrets: SecretTexts, inUse: SecretTexts?, isSpending: Bool) -> Found {
        guard secrets != lastRead else { return .nothingNew }
        let isRefreshTokenNew = secrets[.refreshToken] != lastRead?[.refreshToken]
        // The refresh token that is on its way can be used once: what else has changed waits for its successor.
        if !isRefreshTokenNew, isSpending { return .tooEarly }
        lastRead = secrets
        var secrets = secrets
        // What is in its file may be spent, while its successor is on its way there.
        if !isRefreshTokenNew { secrets[.refreshToken] = inUse?[.refreshToken] }
        return .use(secrets, isRefreshTokenNew: isRefreshTokenNew)
    }

    /// The refresh token's file holds this by our own hand.
    mutating func refreshTokenWritten(_ refreshToken: SecretText) { lastRead?[.refreshToken] = refreshToken }

    /// The secrets or the value could not be read, or cannot be used.
    ///
    /// - Returns: Whether that is news.
    mutating func failed(_ error: TokenError, _ now: ContinuousClock.Instant) -> Bool {
        defer { self.error = error }
        becameUnusable(now)
        return self.error != error
    }

    /// What was read cannot be used any more.
    mutating func becameUnusable(_ now: ContinuousClock.Instant) { unusableSince = unusableSince ?? now }

    /// The secrets or the value can be read and used.
    ///
    /// - Returns: The error that this ended, and for how long they could not be used.
    mutating func recovered(_ now: ContinuousClock.Instant) -> (error: TokenError?, after: Duration?) {
        defer { (error, unusableSince) = (nil, nil) }
        return (error, unusableSince.map { now - $0 })
    }
}
