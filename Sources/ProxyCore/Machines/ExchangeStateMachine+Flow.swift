/// The events of both connections other than messages; decides alone which of them count while a refusal is held
/// back.
///
/// The backend is not read during that time. But a connection that can no longer be written to is read again, so that
/// its end is noticed.
extension ExchangeStateMachine {
    package enum ResponseReceivedAction: Equatable {
        case forward
        /// Add the bytes to the refusal that is held back, and stop reading; too many bytes count as a lost
        /// connection.
        case keep
    }

    /// Bytes of a response have arrived.
    package mutating func responseReceived() -> ResponseReceivedAction {
        switch consume self {
        case .forwarding(let request, let response, let attempt):
            self = .forwarding(request, response, attempt)
            return .forward
        case .replacingCredential(.unread, let attempt):
            self = .replacingCredential(.unread, attempt)
            return .keep
        case .replacingCredential: preconditionFailure("bytes arrived on a connection that was released")
        case .awaitingHead: preconditionFailure("bytes arrived on a connection that the exchange does not have")
        case .acquiringCredential: preconditionFailure("bytes arrived on a connection that the exchange does not have")
        case .acquiringUpstream: preconditionFailure("bytes arrived on a connection that the exchange does not have")
        case .finished: preconditionFailure("bytes arrived on a connection that was returned")
        case .aborted: preconditionFailure("bytes arrived on a connection that was released")
        }
    }

    package enum UpstreamEndedAction: Equatable {
        /// Check whether the end completes the response.
        case endResponse
        /// Pass on the part of the response that was held back; the connection is of no more use.
        case passRefusal
        /// The whole refusal is held back already, and the connection is of no more use.
        case releaseUpstream
    }

    /// The backend closed its side in order.
    package mutating func upstreamEnded() -> UpstreamEndedAction {
        switch consume self {
        case .forwarding(let request, .suspected, let attempt):
            self = .forwarding(request, .awaitingHead, attempt)
            return .passRefusal
        case .forwarding(let request, let response, let attempt):
            self = .forwarding(request, response, attempt)
            return .endResponse
        case .replacingCredential(.unread, let attempt):
            self = .replacingCredential(.ended, attempt)
            return .releaseUpstream
        case .replacingCredential: preconditionFailure("an exchange saw the end of a connection that it had released")
        case .awaitingHead: preconditionFailure("an exchange saw the end of a connection that it does not have")
        case .acquiringCredential: preconditionFailure("an exchange saw the end of a connection that it does not have")
        case .acquiringUpstream: preconditionFailure("an exchange saw the end of a connection that it does not have")
        case .finished: preconditionFailure("an exchange saw the end of a connection that it had returned")
        case .aborted: preconditionFailure("an exchange saw the end of a connection that it had released")
        }
    }

    package enum UpstreamBlockedAction: Equatable {
        /// Stop reading the request until the backend has taken the queued bytes.
        case awaitRoom
        /// The backend has answered; the timeout for another token runs.
        case none
    }

    /// The backend has not taken all that an earlier turn of the loop wrote.
    package mutating func upstreamBlocked() -> UpstreamBlockedAction {
        switch consume self {
        case .forwarding(let request, let response, let attempt):
            self = .forwarding(request, response, attempt)
            return .awaitRoom
        case .replacingCredential(.unread, let attempt):
            self = .replacingCredential(.unread, attempt)
            return .none
        case .replacingCredential: preconditionFailure("an exchange wrote to a connection that it had released")
        case .awaitingHead: preconditionFailure("an exchange wrote to a connection that it does not have")
        case .acquiringCredential: preconditionFailure("an exchange wrote to a connection that it does not have")
        case .acquiringUpstream: preconditionFailure("an exchange wrote to a connection that it does not have")
        case .finished: preconditionFailure("an exchange wrote to a connection that it had returned")
        case .aborted: preconditionFailure("an exchange wrote to a connection that it had released")
        }
    }

    package enum UpstreamDrainedAction: Equatable {
        /// The timeout for the app's next part of the request, or for the backend's response, begins.
        case renewDeadline
        /// The backend has answered; the timeout for another token runs.
        case none
    }

    /// The backend has taken all queued bytes.
    package mutating func upstreamDrained() -> UpstreamDrainedAction {
        switch consume self {
        case .forwarding(let request, let response, let attempt):
            self = .forwarding(request, response, attempt)
            return .renewDeadline
        case .replacingCredential(.unread, let attempt):
            self = .replacingCredential(.unread, attempt)
            return .none
        case .replacingCredential: preconditionFailure("an exchange wrote to a connection that it had released")
        case .awaitingHead: preconditionFailure("an exchange wrote to a connection that it does not have")
        case .acquiringCredential: preconditionFailure("an exchange wrote to a connection that it does not have")
        case .acquiringUpstream: preconditionFailure("an exchange wrote to a connection that it does not have")
        case .finished: preconditionFailure("an exchange wrote to a connection that it had returned")
        case .aborted: preconditionFailure("an exchange wrote to a connection that it had released")
        }
    }

    package enum DownstreamBlockedAction: Equatable {
        case pauseUpstream
        /// No backend is being read, or its response is held back.
        case none
    }

    /// The app has not taken all that an earlier turn of the loop wrote, which may include responses to earlier
    /// requests.
    package mutating func downstreamBlocked() -> DownstreamBlockedAction {
        switch consume self {
        case .acquiringCredential(let attempt):
            self = .acquiringCredential(attempt)
            return .none
        case .acquiringUpstream(let attempt):
            self = .acquiringUpstream(attempt)
            return .none
        case .forwarding(let request, let response, let attempt):
            self = .forwarding(request, response, attempt)
            return .pauseUpstream
        case .replacingCredential(let rest, let attempt):
            self = .replacingCredential(rest, attempt)
            return .none
        case .awaitingHead: preconditionFailure("an app got a response before its request arrived")
        case .finished: preconditionFailure("an exchange that has finished still wrote to the app")
        case .aborted: preconditionFailure("an exchange that was aborted still wrote to the app")
        }
    }

    package enum DownstreamDrainedAction: Equatable {
        case resumeUpstream
        /// No backend is being read, or its response is held back.
        case none
    }

    /// The app has taken all queued bytes, which may include responses to earlier requests.
    package mutating func downstreamDrained() -> DownstreamDrainedAction {
        switch consume self {
        case .acquiringCredential(let attempt):
            self = .acquiringCredential(attempt)
            return .none
        case .acquiringUpstream(let attempt):
            self = .acquiringUpstream(attempt)
            return .none
        case .forwarding(let request, let response, let attempt):
            self = .forwarding(request, response, attempt)
            return .resumeUpstream
        case .replacingCredential(let rest, let attempt):
            self = .replacingCredential(rest, attempt)
            return .none
        case .awaitingHead: preconditionFailure("an app got a response before its request arrived")
        case .finished: preconditionFailure("an exchange that has finished still wrote to the app")
        case .aborted: preconditionFailure("an exchange that was aborted still wrote to the app")
        }
    }
}

/// How often a request has been sent, and for which reasons it may be sent again.
extension ExchangeStateMachine {
    /// The repetitions that are left: one with another token and one with a nonce, or one after a lost connection.
    package enum Attempt: Equatable, Sendable {
        /// Sent for the first time. All repetitions are left.
        case first
        /// Sent again with a nonce. A refused token may still be replaced.
        case withNonce
        /// Sent again with another token. The backend may still ask for a nonce.
        case withToken
        /// Sent again for the last time.
        case last

        /// The next attempt with another token; nil if none is left.
        var withAnotherToken: Attempt? {
            switch self {
            case .first: .withToken
            case .withNonce: .last
            case .withToken, .last: nil
            }
        }

        /// The next attempt with a nonce; nil if none is left.
        var withRequiredNonce: Attempt? {
            switch self {
            case .first: .withNonce
            case .withToken: .last
            case .withNonce, .last: nil
            }
        }
    }
}

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
