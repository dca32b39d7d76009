/// Carries requests to token servers; handed in, so that the manager itself does no I/O.
public protocol TokenTransport: Sendable {
    /// Sends one POST and receives the whole answer.
    ///
    /// It must end in bounded time, refuse bodies over 1 MiB and follow no redirect. It runs on the manager's executor
    /// until it suspends.
    ///
    /// - Parameter request: What to send.
    /// - Returns: The answer, whatever its status.
    /// - Throws: `TokenTransportError` if there was no complete answer.
    func exchange(_ request: TokenRequest) async throws(TokenTransportError) -> TokenResponse
}

/// The token server gave no complete answer: it is unreachable, broke off or was too slow.
public struct TokenTransportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What happened, for a person; no part of the request or of the answer.
    public let message: String

    /// Creates an error.
    ///
    /// - Parameter message: What happened, for a person; no part of the request or of the answer.
    public init(message: String) {
        self.message = message
    }

    /// The message.
    public var description: String { message }
}
