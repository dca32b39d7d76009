/// How a credential's fetches have ended: how many, the last error, and the run of failures that goes on.
struct FetchTally {
    private(set) var succeeded = 0
    private(set) var failed = 0
    /// The last attempt's error; nil once one succeeded.
    private(set) var lastError: TokenError?
    /// The failed fetches since the last one that succeeded.
    private var failedRun: (since: ContinuousClock.Instant, count: Int)?

    /// A tally that begins with what is wrong with the settings, if anything is.
    init(_ error: TokenError?) { lastError = error }

    /// Counts the end of a fetch or of the reading of something new.
    mutating func count(_ result: Result<FetchedToken, FailedFetch>) {
        switch result {
        case .success:
            succeeded += 1
            lastError = nil
        case .failure(let failure):
            failed += 1
            lastError = failure.error
            // A status tells of the next attempt by itself, and later than now.
            lastError?.retryAfter = nil
        }
    }

    /// Counts a fetch that the token server refused for what a request said.
    mutating func countRefusedRequest() { failed += 1 }

    /// A fetch failed, and not for what a request said.
    mutating func fetchFailed(_ now: ContinuousClock.Instant) {
        failedRun = (failedRun?.since ?? now, (failedRun?.count ?? 0) + 1)
    }

    /// A fetch succeeded.
    ///
    /// - Returns: The failures that it ended.
    mutating func fetchSucceeded(_ now: ContinuousClock.Instant) -> FetchedToken.Recovery? {
        defer { failedRun = nil }
        return failedRun.map { FetchedToken.Recovery(duration: now - $0.since, attempts: $0.count + 1) }
    }

    /// The credential shares the token of another one from now on, and with it what went wrong before.
    mutating func join(_ other: FetchTally, as name: String) {
        lastError = other.lastError?.named(name)
        failedRun = other.failedRun
    }

    /// What could not be read is readable again, and holds what it held.
    mutating func recover(from error: TokenError?) {
        if lastError == error { lastError = nil }
    }
}
