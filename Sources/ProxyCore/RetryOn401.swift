/// Which 401 of a backend says that the token we attached is no good.
package enum RetryOn401: Equatable, Sendable {
    /// One whose challenge says `invalid_token` (RFC 6750 section 3.1).
    case invalidToken
    /// Every one, for backends that do not say why.
    case any
    /// None: it passes through like any other response.
    case never
}
