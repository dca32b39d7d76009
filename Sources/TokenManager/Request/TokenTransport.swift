/// Sends requests to token servers; injected, so that the manager itself does no I/O.
public protocol TokenTransport: Sendable {
    /// Sends one request and receives the whole response.
    ///
    /// It must end in bounded time, refuse bodies over 1 MiB and follow no redirect. A request with another client
    /// certificate needs a connection of its own; a transport that cannot honour `caFile` or `clientCertificate` must
    /// throw. It is cancelled when the manager stops, and should then end soon. It runs on the manager's executor
    /// until it suspends.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, whatever its status.
    /// - Throws: `TokenTransportError` if there was no complete response.
    func exchange(_ request: TokenRequest) async throws(TokenTransportError) -> TokenResponse
}

/// The token server gave no complete response: it is unreachable, broke the connection or was too slow.
public struct TokenTransportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What happened, for a person; no part of the request or of the response.
    public let message: String
    /// Whether the request was never sent because this process lacks a resource, such as a descriptor.
    public let isLocal: Bool
    /// Whether the message already says what to do.
    public let saysWhatToDo: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - message: What happened, for a person; no part of the request or of the response.
    ///   - isLocal: Whether the request was never sent because this process lacks a resource.
    ///   - saysWhatToDo: Whether the message already says what to do.
    public init(message: String, isLocal: Bool = false, saysWhatToDo: Bool = false) {
        self.message = message
        self.isLocal = isLocal
        self.saysWhatToDo = saysWhatToDo
    }

    /// The message.
    public var description: String { message }

    /// What to do, to be appended to a message that does not say it.
    var advice: String { saysWhatToDo ? "" : ": check its address and the network to it" }
}
