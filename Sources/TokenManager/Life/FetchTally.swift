/// The results of a credential's fetches: their number, the last error, and the current run of failures.
struct FetchTally {
    private(set) var succeeded = 0
    private(set) var failed = 0
    /// The last attempt's error; nil once an attempt has succeeded.
    private(set) var lastError: TokenError?
    /// The failed fetches since the last one that succeeded.
    private var failedRun: (since: ContinuousClock.Instant, count: Int)?

    /// A tally that begins with the error of the settings, if they have one.
    init(_ error: TokenError?) { lastError = error }

    /// Counts on from another credential of the same name, whose place the new one takes.
    mutating func continueCounts(of other: FetchTally) {
        succeeded += other.succeeded
        failed += other.failed
    }

    /// Counts the end of a fetch, or of a read that brought a new content.
    mutating func count(_ result: Result<FetchedToken, FailedFetch>) {
        switch result {
        case .success:
            succeeded += 1
            lastError = nil
        case .failure(let failure):
            failed += 1
            lastError = failure.error
            // A status has its own field for the next attempt, and is read later than now.
            lastError?.retryAfter = nil
        }
    }

    /// Counts a fetch that the token server refused because of what a request said.
    mutating func countRefusedRequest() { failed += 1 }

    /// A fetch failed for a reason other than what a request said.
    mutating func fetchFailed(_ now: ContinuousClock.Instant) {
        failedRun = (failedRun?.since ?? now, (failedRun?.count ?? 0) + 1)
    }

    /// A fetch succeeded.
    ///
    /// - Returns: The run of failures that it ended.
    mutating func fetchSucceeded(_ now: ContinuousClock.Instant) -> FetchedToken.Recovery? {
        defer { failedRun = nil }
        return failedRun.map { FetchedToken.Recovery(duration: now - $0.since, attempts: $0.count + 1) }
    }

    /// The credential shares another one's token from now on, and takes over its last error.
    mutating func join(_ other: FetchTally, as name: String) {
        lastError = other.lastError?.named(name)
        failedRun = other.failedRun
    }

    /// The value is readable again and has not changed.
    mutating func recover(from error: TokenError?) {
        if lastError == error { lastError = nil }
    }
}

/// Why a fetch brought no token, and what follows for the next fetch.
package struct FetchFailure: Error, Sendable, Equatable {
    /// The error for the callers that wait, without a credential's name.
    package let error: TokenError
    /// Whether the server refused this client as it is configured, so that it is useless to ask again soon.
    package let isDefinitive: Bool
    /// Whether the request was never sent because this process lacks a resource, so that there is no reason to spare
    /// the server.
    package let isLocal: Bool
    /// The pause from the server's `Retry-After`.
    package let retryAfter: Duration?
    /// A refresh token that came with an unusable access token: the one that was sent may be spent.
    package private(set) var refreshToken: GivenRefreshToken?

    package init(error: TokenError, isDefinitive: Bool = false, isLocal: Bool = false, retryAfter: Duration? = nil) {
        self.error = error
        self.isDefinitive = isDefinitive
        self.isLocal = isLocal
        self.retryAfter = retryAfter
    }

    /// The same failure, with the refresh token that the response brought.
    func bringing(_ refreshToken: GivenRefreshToken?) -> FetchFailure {
        var failure = self
        failure.refreshToken = refreshToken
        return failure
    }
}
