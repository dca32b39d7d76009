/// Why a fetch brought no token, and what that means for the next one.
package struct FetchFailure: Error, Sendable, Equatable {
    /// What to tell those who wait; without a credential's name.
    package let error: TokenError
    /// The server refused this client as it is configured, so asking again soon is of no use.
    package let isDefinitive: Bool
    /// The server was never asked, for want of something on this side: no reason to spare it.
    package let isLocal: Bool
    /// What the server's `Retry-After` asked for.
    package let retryAfter: Duration?
    /// The refresh token that came beside an access token which cannot be used: the one that was sent may be spent.
    package private(set) var refreshToken: GivenRefreshToken?

    package init(error: TokenError, isDefinitive: Bool = false, isLocal: Bool = false, retryAfter: Duration? = nil) {
        self.error = error
        self.isDefinitive = isDefinitive
        self.isLocal = isLocal
        self.retryAfter = retryAfter
    }

    /// The same failure of an answer that gave a refresh token nevertheless.
    func bringing(_ refreshToken: GivenRefreshToken?) -> FetchFailure {
        var failure = self
        failure.refreshToken = refreshToken
        return failure
    }
}
