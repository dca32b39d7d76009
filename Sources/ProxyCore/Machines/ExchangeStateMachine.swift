/// One request with its response: the events so far decide the next action.
///
/// Owned by the exchange, on one loop. A call that only a bug can make traps. What a peer does is a value. An event
/// that crossed another one is a named `.none`.
package enum ExchangeStateMachine: ~Copyable {
    /// No request yet. Left by `headReceived` and `answeredLocally`.
    case awaitingHead
    /// The request waits for a token. Left by `credentialAcquired` and by every end.
    case acquiringCredential(Attempt)
    /// The request waits for a connection. Left by `upstreamAcquired`, `tunnelBegan`, `credentialEnded` and by every
    /// end.
    case acquiringUpstream(Attempt)
    /// The head has been written to a connection. Left by `responseEnded`, `tunnelBegan`, `upstreamFailed`,
    /// `credentialRefused` and by every end.
    case forwarding(RequestSide, ResponseSide, Attempt)
    /// The backend refused the token. Its response is held back while another token is fetched, for the attempt given
    /// here. Left by `credentialReplaced`, `credentialKept`, the deadline, `requestFailed` and `downstreamClosed`.
    case replacingCredential(RefusalRest, Attempt)
    /// The backend's complete response was sent, Attaché sends its own, or a tunnel goes on. Final.
    case finished
    /// The exchange was cut short; the app's connection is reset or closed. Final.
    case aborted

    /// The app's body on its way to the backend.
    package enum RequestSide: Equatable, Sendable {
        case sending
        case sent
    }

    /// The backend's response on its way to the app.
    package enum ResponseSide: Equatable, Sendable {
        case awaitingHead
        /// The final head may refuse the token, and the beginning of its body decides. Both are held back. Left by
        /// `suspicionCleared`, `credentialRefused` and by every end.
        case suspected
        case streaming
    }

    /// What may follow the part of a refusal that is held back.
    package enum RefusalRest: Equatable, Sendable {
        /// More may follow; the backend is read again when the refusal is passed on.
        case unread
        /// Nothing: the backend closed in order, and its connection is released.
        case ended
        /// Nothing, although the refusal may be incomplete: the connection broke, and is released.
        case lost
    }

    package enum HeadReceivedAction: Equatable {
        case acquireCredential
        case acquireUpstream
    }

    package mutating func headReceived(needsCredential: Bool) -> HeadReceivedAction {
        switch consume self {
        case .awaitingHead:
            if needsCredential {
                self = .acquiringCredential(.first)
                return .acquireCredential
            }
            self = .acquiringUpstream(.first)
            return .acquireUpstream
        case .acquiringCredential: preconditionFailure("one exchange received a second head")
        case .acquiringUpstream: preconditionFailure("one exchange received a second head")
        case .forwarding: preconditionFailure("one exchange received a second head")
        case .replacingCredential: preconditionFailure("one exchange received a second head")
        case .finished: preconditionFailure("a head came after the exchange had finished")
        case .aborted: preconditionFailure("a head came after the exchange was aborted")
        }
    }

    /// Attaché answers the request itself and sends nothing of it to a backend.
    package mutating func answeredLocally() {
        switch consume self {
        case .awaitingHead: self = .finished
        case .acquiringCredential: preconditionFailure("a request was refused after it had begun")
        case .acquiringUpstream: preconditionFailure("a request was refused after it had begun")
        case .forwarding: preconditionFailure("a request was refused after it had begun")
        case .replacingCredential: preconditionFailure("a request was refused after it had begun")
        case .finished: preconditionFailure("a request was answered twice")
        case .aborted: preconditionFailure("a request was answered after the exchange was aborted")
        }
    }

    package mutating func upstreamAcquired() {
        switch consume self {
        case .acquiringUpstream(let attempt): self = .forwarding(.sending, .awaitingHead, attempt)
        case .awaitingHead: preconditionFailure("a connection arrived that was not requested")
        case .acquiringCredential: preconditionFailure("a connection came before the credential")
        case .forwarding: preconditionFailure("a connection came twice")
        case .replacingCredential: preconditionFailure("a connection came twice")
        case .finished: preconditionFailure("a connection came after the exchange had finished")
        case .aborted: preconditionFailure("a connection came after the exchange was aborted")
        }
    }

    /// No connection could be opened; the owner answers the app.
    package mutating func upstreamUnavailable() {
        switch consume self {
        case .acquiringUpstream: self = .finished
        case .awaitingHead: preconditionFailure("a connection failed that was not requested")
        case .acquiringCredential: preconditionFailure("a connection failed before the credential came")
        case .forwarding: preconditionFailure("a connection failed to open after it was open")
        case .replacingCredential: preconditionFailure("a connection failed to open after it was open")
        case .finished: preconditionFailure("a connection failed after the exchange had finished")
        case .aborted: preconditionFailure("a connection failed after the exchange was aborted")
        }
    }

    /// The last byte of the request has been handed to the connection.
    package mutating func requestSent() {
        switch consume self {
        case .forwarding(.sending, let response, let attempt): self = .forwarding(.sent, response, attempt)
        case .forwarding(.sent, _, _): preconditionFailure("a request ended twice")
        case .awaitingHead: preconditionFailure("a request ended before it began")
        case .acquiringCredential: preconditionFailure("a request was sent without a connection")
        case .acquiringUpstream: preconditionFailure("a request was sent without a connection")
        case .replacingCredential: preconditionFailure("a request ended twice")
        case .finished: preconditionFailure("a request was sent after the exchange had finished")
        case .aborted: preconditionFailure("a request was sent after the exchange was aborted")
        }
    }

    /// The final response head has arrived: the request cannot be sent again, and Attaché can no longer answer
    /// itself.
    package mutating func responseHeadReceived() {
        switch consume self {
        case .forwarding(let request, .awaitingHead, let attempt): self = .forwarding(request, .streaming, attempt)
        case .forwarding(_, .suspected, _): preconditionFailure("a response that is held back was forwarded")
        case .forwarding(_, .streaming, _): preconditionFailure("one exchange received two final responses")
        case .awaitingHead: preconditionFailure("a response came before the request")
        case .acquiringCredential: preconditionFailure("a response came before the request was sent")
        case .acquiringUpstream: preconditionFailure("a response came before the request was sent")
        case .replacingCredential: preconditionFailure("a response that is held back was forwarded")
        case .finished: preconditionFailure("a response came after the exchange had finished")
        case .aborted: preconditionFailure("a response came after the exchange was aborted")
        }
    }

    package enum ResponseEndedAction: Equatable {
        /// Both messages are complete: both connections may be used again, as far as their heads allow.
        case reuse
        /// The backend answered before it had read the whole request: neither connection can be used again.
        case close
    }

    package mutating func responseEnded() -> ResponseEndedAction {
        switch consume self {
        case .forwarding(let request, .streaming, _):
            self = .finished
            return request == .sent ? .reuse : .close
        case .forwarding(_, .awaitingHead, _): preconditionFailure("a response ended before it began")
        case .forwarding(_, .suspected, _): preconditionFailure("a response ended while it was held back")
        case .awaitingHead: preconditionFailure("a response ended before the request came")
        case .acquiringCredential: preconditionFailure("a response ended before the request was sent")
        case .acquiringUpstream: preconditionFailure("a response ended before the request was sent")
        case .replacingCredential: preconditionFailure("a response ended while it was held back")
        case .finished: preconditionFailure("a response ended twice")
        case .aborted: preconditionFailure("a response ended after the exchange was aborted")
        }
    }

    package enum UpstreamFailedAction: Equatable {
        /// Take another connection and send the same bytes again.
        case resend
        case answer
        /// The response has begun: only a reset can show that it is incomplete.
        case abortDownstream
        /// Pass on the part of the response that was held back; the connection is of no more use.
        case passRefusal
        /// A refusal is held back, and another token may still replace the refused one.
        case releaseUpstream
    }

    /// The connection broke.
    ///
    /// It `isReplayable` if the connection had been idle before, no byte of a response arrived, and sending the
    /// request again cannot repeat its effect (RFC 9110 section 9.2.2).
    package mutating func upstreamFailed(isReplayable: Bool) -> UpstreamFailedAction {
        switch consume self {
        case .forwarding(_, .awaitingHead, .first) where isReplayable:
            self = .acquiringUpstream(.last)
            return .resend
        case .forwarding(_, .awaitingHead, _):
            self = .finished
            return .answer
        case .forwarding(let request, .suspected, let attempt):
            self = .forwarding(request, .awaitingHead, attempt)
            return .passRefusal
        case .forwarding(_, .streaming, _):
            self = .aborted
            return .abortDownstream
        case .awaitingHead: preconditionFailure("an exchange lost a connection that it does not have")
        case .acquiringCredential: preconditionFailure("an exchange lost a connection that it does not have")
        case .acquiringUpstream: preconditionFailure("an exchange lost a connection that it does not have")
        case .replacingCredential(.unread, let attempt):
            self = .replacingCredential(.lost, attempt)
            return .releaseUpstream
        case .replacingCredential: preconditionFailure("an exchange lost a connection that it had released")
        case .finished: preconditionFailure("an exchange lost a connection that it had returned")
        case .aborted: preconditionFailure("an exchange lost a connection that it had released")
        }
    }

    /// A part of the request's body cannot be forwarded.
    package enum RequestFailedAction: Equatable {
        case answer
        case abortDownstream
    }

    package mutating func requestFailed() -> RequestFailedAction {
        switch consume self {
        case .awaitingHead: preconditionFailure("a body failed before its head came")
        case .acquiringCredential: preconditionFailure("a body failed before it was read")
        case .acquiringUpstream: preconditionFailure("a body failed before it was read")
        case .forwarding(_, .awaitingHead, _):
            self = .finished
            return .answer
        case .forwarding(_, .suspected, _):
            self = .finished
            return .answer
        case .forwarding(_, .streaming, _):
            self = .aborted
            return .abortDownstream
        case .replacingCredential: preconditionFailure("a body failed after it was complete")
        case .finished: preconditionFailure("a body failed after the exchange had finished")
        case .aborted: preconditionFailure("a body failed after the exchange was aborted")
        }
    }

    package enum DeadlineAction: Equatable {
        case answerCredentialTimeout
        case answerRequestTimeout
        case answerResponseTimeout
        /// Pass on the response that is held back: no other token, or no more of a deciding body, arrived in time.
        case passRefusal(RefusalRest)
        case abortDownstream
        case none
    }

    /// A timeout has passed without progress.
    ///
    /// A missing part of the body is the app's fault only while the backend has room for it.
    package mutating func deadlinePassed(upstreamBlocked: Bool) -> DeadlineAction {
        switch consume self {
        case .acquiringCredential:
            self = .finished
            return .answerCredentialTimeout
        case .acquiringUpstream(let attempt):
            // The connector has its own timeout and will report.
            self = .acquiringUpstream(attempt)
            return .none
        case .forwarding(.sending, .awaitingHead, _):
            self = .finished
            return upstreamBlocked ? .answerResponseTimeout : .answerRequestTimeout
        case .forwarding(.sent, .awaitingHead, _):
            self = .finished
            return .answerResponseTimeout
        case .forwarding(let request, .suspected, let attempt):
            self = .forwarding(request, .awaitingHead, attempt)
            return .passRefusal(.unread)
        case .forwarding(_, .streaming, _):
            self = .aborted
            return .abortDownstream
        case .awaitingHead: preconditionFailure("the time of a request ran out before it came")
        case .replacingCredential(let rest, _):
            self = .forwarding(.sent, .awaitingHead, .last)
            return .passRefusal(rest)
        case .finished:
            self = .finished
            return .none
        case .aborted:
            self = .aborted
            return .none
        }
    }

    /// The app closed its connection, or the connection was aborted.
    package mutating func downstreamClosed() {
        switch consume self {
        case .finished: self = .finished
        case .awaitingHead: self = .aborted
        case .acquiringCredential: self = .aborted
        case .acquiringUpstream: self = .aborted
        case .forwarding: self = .aborted
        case .replacingCredential: self = .aborted
        case .aborted: self = .aborted
        }
    }
}
