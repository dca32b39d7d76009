/// Why a fetch brought no token, and what that means for the next one.
package struct FetchFailure: Error, Sendable, Equatable {
    /// What to tell those who wait; without a credential's name.
    package let error: TokenError
    /// The server refused this client as it is configured, so asking again soon is of no use.
    package let isDefinitive: Bool
    /// What the server's `Retry-After` asked for.
    package let retryAfter: Duration?

    package init(error: TokenError, isDefinitive: Bool = false, retryAfter: Duration? = nil) {
        self.error = error
        self.isDefinitive = isDefinitive
        self.retryAfter = retryAfter
    }
}
