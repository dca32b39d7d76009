/// The nonce that a backend demands in the proof beside a token (RFC 9449 section 9).
extension ExchangeStateMachine {
    package enum NonceAskedAction: Equatable {
        /// Take a new connection and send the request again with another proof.
        case resend
        /// Pass the response on: the request cannot be sent again.
        case pass
    }

    /// The final response's head says that the proof lacks its nonce; no byte of it has been sent to the app.
    ///
    /// The request `isRepeatable` if all bytes sent so far are kept.
    package mutating func nonceAsked(isRepeatable: Bool) -> NonceAskedAction {
        switch consume self {
        case .forwarding(let request, .awaitingHead, let attempt):
            guard request == .sent, isRepeatable, let next = attempt.withRequiredNonce else {
                self = .forwarding(request, .awaitingHead, attempt)
                return .pass
            }
            self = .acquiringUpstream(next)
            return .resend
        case .forwarding(_, .suspected, _): preconditionFailure("a response that is held back was forwarded")
        case .forwarding(_, .streaming, _): preconditionFailure("one exchange received two final responses")
        case .awaitingHead: preconditionFailure("a nonce was asked for before the request came")
        case .acquiringCredential: preconditionFailure("a nonce was asked for before a proof was sent")
        case .acquiringUpstream: preconditionFailure("a nonce was asked for before a proof was sent")
        case .replacingCredential: preconditionFailure("a response that is held back was forwarded")
        case .finished: preconditionFailure("a nonce was asked for after the exchange had finished")
        case .aborted: preconditionFailure("a nonce was asked for after the exchange was aborted")
        }
    }
}
