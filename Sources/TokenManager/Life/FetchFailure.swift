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
