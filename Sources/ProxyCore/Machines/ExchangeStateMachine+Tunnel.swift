/// An exchange whose two connections go on as a tunnel.
extension ExchangeStateMachine {
    /// The exchange becomes a tunnel: the connection of a CONNECT is open, or the backend has switched protocols.
    package mutating func tunnelBegan() {
        switch consume self {
        case .acquiringUpstream: self = .finished
        case .forwarding(.sent, .awaitingHead, _): self = .finished
        case .forwarding: preconditionFailure("a tunnel began within a message")
        case .awaitingHead: preconditionFailure("a tunnel began without a request")
        case .acquiringCredential: preconditionFailure("a tunnel began without a connection")
        case .replacingCredential: preconditionFailure("a tunnel began although the backend had refused")
        case .finished: preconditionFailure("a tunnel began after the exchange had finished")
        case .aborted: preconditionFailure("a tunnel began after the exchange was aborted")
        }
    }
}
