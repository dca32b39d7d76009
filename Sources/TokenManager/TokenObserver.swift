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
    func fetchEnded(_ name: String, _ result: Result<FetchedToken, TokenError>)
}

/// The times of a token that has just been fetched, without the token.
public struct FetchedToken: Sendable, Equatable {
    /// When the next one will be asked for, or nil if never.
    public let refreshAt: ContinuousClock.Instant?
    /// From when on it is not sent any more, or nil if it has no end.
    public let usableUntil: ContinuousClock.Instant?

    /// Creates the times of a token.
    ///
    /// - Parameters:
    ///   - refreshAt: When the next one will be asked for, or nil if never.
    ///   - usableUntil: From when on it is not sent any more, or nil if it has no end.
    public init(refreshAt: ContinuousClock.Instant?, usableUntil: ContinuousClock.Instant?) {
        self.refreshAt = refreshAt
        self.usableUntil = usableUntil
    }
}
