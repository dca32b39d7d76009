/// Receives every change of which others keep a copy; called on the manager's executor, so it must be quick.
public protocol TokenObserver: Sendable {
    /// The credential's value changed, or (nil) it ended or was refused and has no successor yet.
    ///
    /// - Parameters:
    ///   - name: The credential's name.
    ///   - parameters: The values of the requests that it concerns; nil for all, as an ordinary credential has one
    ///     value.
    ///   - header: The field to send from now on, or nil if there is none.
    func headerChanged(_ name: String, _ parameters: RequestParameters?, _ header: AuthorizationHeader?)

    /// A fetch, the read of a file that changed, or (only if it failed) the write of a refresh token ended.
    ///
    /// It is not called if a token server refused only what one request said, its value or its own token: only that
    /// request's caller gets the error, and the status counts it.
    ///
    /// - Parameters:
    ///   - name: The credential's name; it is called for each of the credentials that share a token.
    ///   - result: The times of the new token, or what went wrong.
    func fetchEnded(_ name: String, _ result: Result<FetchedToken, FailedFetch>)

    /// A fetch took this long, with or without success; files do not count.
    ///
    /// - Parameters:
    ///   - name: The credential's name; it is called for each of the credentials that share a token.
    ///   - duration: The time from the start of the fetch to its end, including a search for the endpoint.
    func fetchTook(_ name: String, _ duration: Duration)

    /// The files of a credential that were unreadable or unusable are usable again.
    ///
    /// - Parameters:
    ///   - name: The credential's name.
    ///   - duration: How long they were not.
    func secretRecovered(_ name: String, after duration: Duration)

    /// Another process replaced the refresh token in its file although the one in use had no problem; called once.
    ///
    /// - Parameters:
    ///   - name: The credential's name.
    ///   - path: The file.
    func refreshTokenReplaced(_ name: String, in path: String)

    /// No refresh token waits to be written any more, after `fetchEnded` has reported that one could not be written.
    ///
    /// - Parameter name: The credential's name.
    func refreshTokenWritten(_ name: String)
}

extension TokenObserver {
    /// Does nothing.
    public func fetchTook(_ name: String, _ duration: Duration) {}
    /// Does nothing.
    public func secretRecovered(_ name: String, after duration: Duration) {}
    /// Does nothing.
    public func refreshTokenReplaced(_ name: String, in path: String) {}
    /// Does nothing.
    public func refreshTokenWritten(_ name: String) {}
}

/// Why there is no new token, and how long the old one serves; it holds no secret and no token.
public struct FailedFetch: Error, Sendable, Equatable {
    /// The error, with the time to the next attempt as `retryAfter` if that is known.
    public let error: TokenError
    /// How long the old token is still sent; nil if there is none, or it has no end.
    public let servesFor: Duration?

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - servesFor: How long the old token is still sent; nil if there is none, or it has no end.
    public init(_ error: TokenError, servesFor: Duration? = nil) {
        self.error = error
        self.servesFor = servesFor
    }
}

/// The times of a token that has just been fetched, without the token.
public struct FetchedToken: Sendable, Equatable {
    /// When the next token will be fetched; nil if never.
    public let refreshAt: ContinuousClock.Instant?
    /// The instant from which the token is not sent; nil if it has no end.
    public let usableUntil: ContinuousClock.Instant?
    /// The run of failures that it ended; nil if the attempt before it succeeded too.
    public let recovery: Recovery?

    /// A run of failed attempts, with the one that succeeded.
    public struct Recovery: Sendable, Equatable {
        /// The time since the first failure.
        public let duration: Duration
        /// The number of attempts, including the last one.
        public let attempts: Int

        /// Creates a run.
        ///
        /// - Parameters:
        ///   - duration: The time since the first failure.
        ///   - attempts: The number of attempts, including the last one.
        public init(duration: Duration, attempts: Int) {
            self.duration = duration
            self.attempts = attempts
        }
    }

    /// Creates the times of a token.
    ///
    /// - Parameters:
    ///   - refreshAt: When the next token will be fetched; nil if never.
    ///   - usableUntil: The instant from which the token is not sent; nil if it has no end.
    ///   - recovery: The run of failures that it ended.
    public init(
        refreshAt: ContinuousClock.Instant?, usableUntil: ContinuousClock.Instant?, recovery: Recovery? = nil
    ) {
        self.refreshAt = refreshAt
        self.usableUntil = usableUntil
        self.recovery = recovery
    }
}
