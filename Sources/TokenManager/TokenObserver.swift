/// Hears about every change that others keep a copy of; called on the manager's executor, so it must be quick.
public protocol TokenObserver: Sendable {
    /// The credential's value changed, or ended or was refused and has no successor yet (nil).
    ///
    /// - Parameters:
    ///   - name: The credential's name.
    ///   - parameters: The requests that are meant, or nil for all: an ordinary credential has one value.
    ///   - header: The field to send from now on, or nil if there is none.
    func headerChanged(_ name: String, _ parameters: RequestParameters?, _ header: AuthorizationHeader?)

    /// A fetch, the reading of a file that changed, or (only if it failed) the writing of a refresh token ended.
    ///
    /// Not told is that a token server refused what one request said, its value or its own token: only its caller hears
    /// of that, and the status counts it.
    ///
    /// - Parameters:
    ///   - name: The credential's name; credentials that share a token each hear of its fetch.
    ///   - result: The times of the new token, or what went wrong.
    func fetchEnded(_ name: String, _ result: Result<FetchedToken, FailedFetch>)

    /// A token was asked for at its token server, with or without success; files do not count.
    ///
    /// - Parameters:
    ///   - name: The credential's name; credentials that share a token each hear of its fetch.
    ///   - duration: From the start of the fetch to its end, a search for the endpoint included.
    func fetchTook(_ name: String, _ duration: Duration)

    /// The files of a credential, which could not be read or used, can be again.
    ///
    /// - Parameters:
    ///   - name: The credential's name.
    ///   - duration: For how long they could not.
    func secretRecovered(_ name: String, after duration: Duration)

    /// Another process replaced the refresh token in its file while nothing was wrong with the one in use; told once.
    ///
    /// - Parameters:
    ///   - name: The credential's name.
    ///   - path: The file.
    func refreshTokenReplaced(_ name: String, in path: String)
}

extension TokenObserver {
    /// Does nothing.
    public func fetchTook(_ name: String, _ duration: Duration) {}
    /// Does nothing.
    public func secretRecovered(_ name: String, after duration: Duration) {}
    /// Does nothing.
    public func refreshTokenReplaced(_ name: String, in path: String) {}
}

/// Why there is no new token, and what serves meanwhile; it holds no secret and no token.
public struct FailedFetch: Error, Sendable, Equatable {
    /// What went wrong, with the time to the next attempt as `retryAfter` where that is known.
    public let error: TokenError
    /// For how long the old token is still sent; nil if there is none, or it has no end.
    public let servesFor: Duration?

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - error: What went wrong.
    ///   - servesFor: For how long the old token is still sent; nil if there is none, or it has no end.
    public init(_ error: TokenError, servesFor: Duration? = nil) {
        self.error = error
        self.servesFor = servesFor
    }
}

/// The times of a token that has just been fetched, without the token.
public struct FetchedToken: Sendable, Equatable {
    /// When the next one will be asked for, or nil if never.
    public let refreshAt: ContinuousClock.Instant?
    /// From when on it is not sent any more, or nil if it has no end.
    public let usableUntil: ContinuousClock.Instant?
    /// The run of failures that it ended; nil where the attempt before it succeeded too.
    public let recovery: Recovery?

    /// A run of failed attempts, with the one that succeeded.
    public struct Recovery: Sendable, Equatable {
        /// From the first failure on.
        public let duration: Duration
        /// How many attempts it took, the last one included.
        public let attempts: Int

        /// Creates a run.
        ///
        /// - Parameters:
        ///   - duration: From the first failure on.
        ///   - attempts: How many attempts it took, the last one included.
        public init(duration: Duration, attempts: Int) {
            self.duration = duration
            self.attempts = attempts
        }
    }

    /// Creates the times of a token.
    ///
    /// - Parameters:
    ///   - refreshAt: When the next one will be asked for, or nil if never.
    ///   - usableUntil: From when on it is not sent any more, or nil if it has no end.
    ///   - recovery: The run of failures that it ended.
    public init(
        refreshAt: ContinuousClock.Instant?, usableUntil: ContinuousClock.Instant?, recovery: Recovery? = nil
    ) {
        self.refreshAt = refreshAt
        self.usableUntil = usableUntil
        self.recovery = recovery
    }
}
