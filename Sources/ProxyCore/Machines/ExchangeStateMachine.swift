/// One request with its response: what has happened to it decides what may be done next.
///
/// Owned by the exchange, on one loop. A call that our own code can never make traps; what a peer does is a value; an
/// event that crossed another one on its way is a named `.none`.
package enum ExchangeStateMachine: ~Copyable {
    /// No request yet. Left by `headReceived` and `answeredLocally`.
    case awaitingHead
    /// The request waits for a token. Left by `credentialAcquired`, and by the ends.
    case acquiringCredential(Attempt)
    /// The request waits for a connection. Left by `upstreamAcquired`, `credentialEnded`, and by the ends.
    case acquiringUpstream(Attempt)
    /// The head has been written to a connection. Left by `responseEnded`, `upstreamFailed`, `credentialRefused` and the
    /// ends.
    case forwarding(RequestSide, ResponseSide, Attempt)
    /// The backend refused the token; its response is held back while another token is asked for, with which the request
    /// may go in the attempt that is named. Left by
    /// `credentialReplaced`, `credentialKept`, the deadline, `requestFailed` and `downstreamClosed`.
    case replacingCredential(RefusalRest, Attempt)
    /// The response went out whole, or an answer of our own did. Nothing leaves.
    case finished
    /// Cut short; the app's connection is reset or closed. Nothing leaves.
    case aborted

    /// The app's body on its way to the backend.
    package enum RequestSide: Equatable, Sendable {
        case sending
        case sent
    }

    /// The backend's response on its way to the app.
    package enum ResponseSide: Equatable, Sendable {
        case awaitingHead
        /// The final head may refuse the token, which the beginning of its body decides. Both are held back. Left by
        /// `suspicionCleared`, `credentialRefused`, and by the ends.
        case suspected
        case streaming
    }

    /// What may still come of a refusal that is held back.
    package enum RefusalRest: Equatable, Sendable {
        /// More of it may come; the backend is read again when the refusal is passed on.
        case unread
        /// Nothing: the backend ended in order. Its connection is given up.
        case ended
        /// Nothing, though there may have been more: the connection was lost. It is given up.
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
        case .acquiringCredential: preconditionFailure("a second head came within one exchange")
        case .acquiringUpstream: preconditionFailure("a second head came within one exchange")
        case .forwarding: preconditionFailure("a second head came within one exchange")
        case .replacingCredential: preconditionFailure("a second head came within one exchange")
        case .finished: preconditionFailure("a head came after the exchange had finished")
        case .aborted: preconditionFailure("a head came after the exchange was aborted")
        }
    }

    /// We answer the request ourselves, and nothing of it is sent on.
    package mutating func answeredLocally() {
        switch consume self {
        case .awaitingHead: self = .finished
        case .acquiringCredential: preconditionFailure("a request was refused that had been taken")
        case .acquiringUpstream: preconditionFailure("a request was refused that had been taken")
        case .forwarding: preconditionFailure("a request was refused that had been taken")
        case .replacingCredential: preconditionFailure("a request was refused that had been taken")
        case .finished: preconditionFailure("a request was answered twice")
        case .aborted: preconditionFailure("a request was answered after the exchange was aborted")
        }
    }

    package mutating func upstreamAcquired() {
        switch consume self {
        case .acquiringUpstream(let attempt): self = .forwarding(.sending, .awaitingHead, attempt)
        case .awaitingHead: preconditionFailure("a connection came that was never asked for")
        case .acquiringCredential: preconditionFailure("a connection came before the credential")
        case .forwarding: preconditionFailure("a connection came twice")
        case .replacingCredential: preconditionFailure("a connection came twice")
        case .finished: preconditionFailure("a connection came after the exchange had finished")
        case .aborted: preconditionFailure("a connection came after the exchange was aborted")
        }
    }

    /// The connection could not be had; the owner answers the app.
    package mutating func upstreamUnavailable() {
        switch consume self {
        case .acquiringUpstream: self = .finished
        case .awaitingHead: preconditionFailure("a connection failed that was never asked for")
        case .acquiringCredential: preconditionFailure("a connection failed before the credential came")
        case .forwarding: preconditionFailure("a connection failed that had been made")
        case .replacingCredential: preconditionFailure("a connection failed that had been made")
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

    /// The final response head has come; nothing can be sent again, and no answer of our own is possible any more.
    package mutating func responseHeadReceived() {
        switch consume self {
        case .forwarding(let request, .awaitingHead, let attempt): self = .forwarding(request, .streaming, attempt)
        case .forwarding(_, .suspected, _): preconditionFailure("a response went on that is held back")
        case .forwarding(_, .streaming, _): preconditionFailure("two final responses came within one exchange")
        case .awaitingHead: preconditionFailure("a response came before the request")
        case .acquiringCredential: preconditionFailure("a response came before the request was sent")
        case .acquiringUpstream: preconditionFailure("a response came before the request was sent")
        case .replacingCredential: preconditionFailure("a response went on that is held back")
        case .finished: preconditionFailure("a response came after the exchange had finished")
        case .aborted: preconditionFailure("a response came after the exchange was aborted")
        }
    }

    package enum ResponseEndedAction: Equatable {
        /// Both messages are whole: the connections may serve again, as far as their heads allow.
        case reuse
        /// The backend answered before it had read the request: neither connection can serve again.
        case close
    }

    package mutating func responseEnded() -> ResponseEndedAction {
        switch consume self {
        case .forwarding(let request, .streaming, _):
            self = .finished
            return request == .sent ? .reuse : .close
        case .forwarding(_, .awaitingHead, _): preconditionFailure("a response ended before it began")
        case .forwarding(_, .suspected, _): preconditionFailure("a response ended that is held back")
        case .awaitingHead: preconditionFailure("a response ended before the request came")
        case .acquiringCredential: preconditionFailure("a response ended before the request was sent")
        case .acquiringUpstream: preconditionFailure("a response ended before the request was sent")
        case .replacingCredential: preconditionFailure("a response ended that is held back")
        case .finished: preconditionFailure("a response ended twice")
        case .aborted: preconditionFailure("a response ended after the exchange was aborted")
        }
    }

    package enum UpstreamFailedAction: Equatable {
        /// Take another connection and send the same bytes again.
        case resend
        case answer
        /// The response has begun: resetting is the only way left to say that it is not whole.
        case abortDownstream
        /// Let the response pass that is held back, as far as it came; the connection is of no more use.
        case passRefusal
        /// A refusal is held back, for which another token may still make up.
        case releaseUpstream
    }

    /// The connection was lost.
    ///
    /// It `isReplayable` if the connection had been idle before, no byte of a response came, and all that was sent can be
    /// sent again without doing it twice (RFC 9110 section 9.2.2).
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
        case .awaitingHead: preconditionFailure("a connection was lost that the exchange does not have")
        case .acquiringCredential: preconditionFailure("a connection was lost that the exchange does not have")
        case .acquiringUpstream: preconditionFailure("a connection was lost that the exchange does not have")
        case .replacingCredential(.unread, let attempt):
            self = .replacingCredential(.lost, attempt)
            return .releaseUpstream
        case .replacingCredential: preconditionFailure("a connection was lost that the exchange has given up")
        case .finished: preconditionFailure("a connection was lost that the exchange has given back")
        case .aborted: preconditionFailure("a connection was lost that the exchange has given up")
        }
    }

    /// What came of the request's body cannot be forwarded as the app sent it.
    package enum RequestFailedAction: Equatable {
        case answer
        case abortDownstream
    }

    package mutating func requestFailed() -> RequestFailedAction {
        switch consume self {
        case .awaitingHead: preconditionFailure("a body failed before its head came")
        case .acquiringCredential: preconditionFailure("a body failed that is not read yet")
        case .acquiringUpstream: preconditionFailure("a body failed that is not read yet")
        case .forwarding(_, .awaitingHead, _):
            self = .finished
            return .answer
        case .forwarding(_, .suspected, _):
            self = .finished
            return .answer
        case .forwarding(_, .streaming, _):
            self = .aborted
            return .abortDownstream
        case .replacingCredential: preconditionFailure("a body failed that had come whole")
        case .finished: preconditionFailure("a body failed after the exchange had finished")
        case .aborted: preconditionFailure("a body failed after the exchange was aborted")
        }
    }

    package enum DeadlineAction: Equatable {
        case answerCredentialTimeout
        case answerRequestTimeout
        case answerResponseTimeout
        /// No other token came in time, or no more of a body that decides: what is held back goes to the app.
        case passRefusal(RefusalRest)
        case abortDownstream
        case none
    }

    /// Nothing moved for as long as the limits allow.
    ///
    /// A body that is not there yet is the app's fault, but only while the backend has room for it.
    package mutating func deadlinePassed(upstreamBlocked: Bool) -> DeadlineAction {
        switch consume self {
        case .acquiringCredential:
            self = .finished
            return .answerCredentialTimeout
        case .acquiringUpstream(let attempt):
            // The connector has a time-out of its own and will report.
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

    /// The app went away, or its connection was given up.
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
