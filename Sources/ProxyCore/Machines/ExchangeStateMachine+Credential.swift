/// The credential: awaited before the request is sent, and replaced if the backend refuses it.
extension ExchangeStateMachine {
    package enum CredentialAction: Equatable {
        case acquireUpstream
        case answer
        /// The exchange ended while the token was being fetched.
        case none
    }

    package mutating func credentialAcquired() -> CredentialAction {
        switch consume self {
        case .acquiringCredential(let attempt):
            self = .acquiringUpstream(attempt)
            return .acquireUpstream
        case .replacingCredential: preconditionFailure("a new credential arrived although none was refused")
        case .finished:
            self = .finished
            return .none
        case .aborted:
            self = .aborted
            return .none
        case .awaitingHead: preconditionFailure("a credential arrived that was not requested")
        case .acquiringUpstream: preconditionFailure("a credential came twice")
        case .forwarding: preconditionFailure("a credential came twice")
        }
    }

    package mutating func credentialFailed() -> CredentialAction {
        switch consume self {
        case .acquiringCredential:
            self = .finished
            return .answer
        case .replacingCredential: preconditionFailure("a new credential failed although none was refused")
        case .finished:
            self = .finished
            return .none
        case .aborted:
            self = .aborted
            return .none
        case .awaitingHead: preconditionFailure("a credential failed that was not requested")
        case .acquiringUpstream: preconditionFailure("a credential failed after it had come")
        case .forwarding: preconditionFailure("a credential failed after it had come")
        }
    }

    /// The token expired while the connection was being opened, and no other is usable; the owner asks for one.
    package mutating func credentialEnded() {
        switch consume self {
        case .acquiringUpstream(let attempt): self = .acquiringCredential(attempt)
        case .awaitingHead: preconditionFailure("a credential expired that was not requested")
        case .acquiringCredential: preconditionFailure("a credential expired before it arrived")
        case .forwarding: preconditionFailure("a credential expired after it was sent")
        case .replacingCredential: preconditionFailure("a credential expired after it was sent")
        case .finished: preconditionFailure("a credential expired after the exchange had finished")
        case .aborted: preconditionFailure("a credential expired after the exchange was aborted")
        }
    }

    package enum CredentialRefusedAction: Equatable {
        /// Hold the response back and ask for another token.
        case replace
        /// Pass the response on: the request cannot be sent again.
        case pass
    }

    /// The final response refuses the token; no byte of it has been sent to the app.
    ///
    /// The request `isRepeatable` if all bytes sent so far are kept.
    package mutating func credentialRefused(isRepeatable: Bool) -> CredentialRefusedAction {
        switch consume self {
        case .forwarding(let request, .awaitingHead, let attempt):
            guard request == .sent, isRepeatable, let next = attempt.withAnotherToken else {
                self = .forwarding(request, .awaitingHead, attempt)
                return .pass
            }
            self = .replacingCredential(.unread, next)
            return .replace
        case .forwarding(let request, .suspected, let attempt):
            guard request == .sent, isRepeatable, let next = attempt.withAnotherToken else {
                self = .forwarding(request, .awaitingHead, attempt)
                return .pass
            }
            self = .replacingCredential(.unread, next)
            return .replace
        case .forwarding(_, .streaming, _): preconditionFailure("one exchange received two final responses")
        case .awaitingHead: preconditionFailure("a token was refused before the request came")
        case .acquiringCredential: preconditionFailure("a token was refused before it was sent")
        case .acquiringUpstream: preconditionFailure("a token was refused before it was sent")
        case .replacingCredential: preconditionFailure("a token was refused twice")
        case .finished: preconditionFailure("a token was refused after the exchange had finished")
        case .aborted: preconditionFailure("a token was refused after the exchange was aborted")
        }
    }

    package enum CredentialReplacedAction: Equatable {
        /// Take a new connection and send the request again with the other token.
        case resend
        /// The exchange continued or ended while the token was being fetched.
        case none
    }

    /// Another token is available.
    package mutating func credentialReplaced() -> CredentialReplacedAction {
        switch consume self {
        case .replacingCredential(_, let attempt):
            self = .acquiringUpstream(attempt)
            return .resend
        case .forwarding(let request, let response, let attempt):
            self = .forwarding(request, response, attempt)
            return .none
        case .finished:
            self = .finished
            return .none
        case .aborted:
            self = .aborted
            return .none
        case .awaitingHead: preconditionFailure("a token arrived that no one had requested")
        case .acquiringCredential: preconditionFailure("a token arrived that no one had requested")
        case .acquiringUpstream: preconditionFailure("a token arrived that no one had requested")
        }
    }

    package enum CredentialKeptAction: Equatable {
        /// Pass on the response that was held back.
        case pass(RefusalRest)
        /// The exchange continued or ended while the token was being fetched.
        case none
    }

    /// No other token is available.
    package mutating func credentialKept() -> CredentialKeptAction {
        switch consume self {
        case .replacingCredential(let rest, _):
            self = .forwarding(.sent, .awaitingHead, .last)
            return .pass(rest)
        case .forwarding(let request, let response, let attempt):
            self = .forwarding(request, response, attempt)
            return .none
        case .finished:
            self = .finished
            return .none
        case .aborted:
            self = .aborted
            return .none
        case .awaitingHead: preconditionFailure("a token was kept that no backend had refused")
        case .acquiringCredential: preconditionFailure("a token was kept that no backend had refused")
        case .acquiringUpstream: preconditionFailure("a token was kept that no backend had refused")
        }
    }
}

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
