/// A response that may refuse the token by its head, and whose body decides.
extension ExchangeStateMachine {
    /// The final head or more of the body arrived, and does not decide yet.
    package mutating func refusalSuspected() {
        switch consume self {
        case .forwarding(let request, .awaitingHead, let attempt): self = .forwarding(request, .suspected, attempt)
        case .forwarding(let request, .suspected, let attempt): self = .forwarding(request, .suspected, attempt)
        case .forwarding(_, .streaming, _): preconditionFailure("one exchange received two final responses")
        case .awaitingHead: preconditionFailure("a response came before the request")
        case .acquiringCredential: preconditionFailure("a response came before the request was sent")
        case .acquiringUpstream: preconditionFailure("a response came before the request was sent")
        case .replacingCredential: preconditionFailure("a response that is held back was forwarded")
        case .finished: preconditionFailure("a response came after the exchange had finished")
        case .aborted: preconditionFailure("a response came after the exchange was aborted")
        }
    }

    /// The body does not refuse the token; the owner passes the response on.
    package mutating func suspicionCleared() {
        switch consume self {
        case .forwarding(let request, .suspected, let attempt): self = .forwarding(request, .awaitingHead, attempt)
        case .forwarding(_, .awaitingHead, _): preconditionFailure("a response was cleared that was not suspected")
        case .forwarding(_, .streaming, _): preconditionFailure("a response was cleared that was not suspected")
        case .awaitingHead: preconditionFailure("a response came before the request")
        case .acquiringCredential: preconditionFailure("a response came before the request was sent")
        case .acquiringUpstream: preconditionFailure("a response came before the request was sent")
        case .replacingCredential: preconditionFailure("a response that refuses the token was cleared")
        case .finished: preconditionFailure("a response came after the exchange had finished")
        case .aborted: preconditionFailure("a response came after the exchange was aborted")
        }
    }
}
