/// Carries requests to token servers; handed in, so that the manager itself does no I/O.
public protocol TokenTransport: Sendable {
    /// Sends one request and receives the whole answer.
    ///
    /// It must end in bounded time, refuse bodies over 1 MiB and follow no redirect. A request with another client
    /// certificate needs a connection of its own; a transport that cannot honour `caFile` or `clientCertificate` must throw. It
    /// is cancelled when the manager stops, and should then end soon. It runs on the manager's executor until it suspends.
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
    /// Whether the request was never sent for want of something on this side, such as a descriptor: no fault of the server.
    public let isLocal: Bool
    /// Whether the message says already what to do.
    public let saysWhatToDo: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - message: What happened, for a person; no part of the request or of the answer.
    ///   - isLocal: Whether the request was never sent for want of something on this side.
    ///   - saysWhatToDo: Whether the message says already what to do.
    public init(message: String, isLocal: Bool = false, saysWhatToDo: Bool = false) {
        self.message = message
        self.isLocal = isLocal
        self.saysWhatToDo = saysWhatToDo
    }

    /// The message.
    public var description: String { message }

    /// What follows the message: what to do, where it does not say that itself.
    var advice: String { saysWhatToDo ? "" : ": check its address and the network to it" }
}
