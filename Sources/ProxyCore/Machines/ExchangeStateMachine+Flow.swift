/// What both connections report beside messages: the only place that says which of it is taken up while a refusal is held
/// back.
///
/// The backend is not read then, but a connection that can be written to no more is read again to tell that it is over.
extension ExchangeStateMachine {
    package enum ResponseReceivedAction: Equatable {
        case forward
        /// Put it to the refusal that is held back, and read no more; what is too much to keep is a lost connection.
        case keep
    }

    /// Bytes of a response have come.
    package mutating func responseReceived() -> ResponseReceivedAction {
        switch consume self {
        case .forwarding(let request, let response, let attempt):
            self = .forwarding(request, response, attempt)
            return .forward
        case .replacingCredential(.unread, let attempt):
            self = .replacingCredential(.unread, attempt)
            return .keep
        case .replacingCredential: preconditionFailure("bytes came from a connection that has been given up")
        case .awaitingHead: preconditionFailure("bytes came from a connection that the exchange does not have")
        case .acquiringCredential: preconditionFailure("bytes came from a connection that the exchange does not have")
        case .acquiringUpstream: preconditionFailure("bytes came from a connection that the exchange does not have")
        case .finished: preconditionFailure("bytes came from a connection that has been given back")
        case .aborted: preconditionFailure("bytes came from a connection that has been given up")
        }
    }

    package enum UpstreamEndedAction: Equatable {
        /// Look whether the end makes the response whole.
        case endResponse
        /// Let the response pass that is held back, as far as it came; the connection is of no more use.
        case passRefusal
        /// All that comes of the refusal is held back already, and the connection is of no more use.
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
        case .replacingCredential: preconditionFailure("a connection ended that has been given up")
        case .awaitingHead: preconditionFailure("a connection ended that the exchange does not have")
        case .acquiringCredential: preconditionFailure("a connection ended that the exchange does not have")
        case .acquiringUpstream: preconditionFailure("a connection ended that the exchange does not have")
        case .finished: preconditionFailure("a connection ended that has been given back")
        case .aborted: preconditionFailure("a connection ended that has been given up")
        }
    }

    package enum UpstreamBlockedAction: Equatable {
        /// Read no more of the request until the backend has taken what is queued.
        case awaitRoom
        /// The backend has answered, and the time that runs is that of another token.
        case none
    }

    /// The backend had no room for all that an earlier turn of the loop wrote.
    package mutating func upstreamBlocked() -> UpstreamBlockedAction {
        switch consume self {
        case .forwarding(let request, let response, let attempt):
            self = .forwarding(request, response, attempt)
            return .awaitRoom
        case .replacingCredential(.unread, let attempt):
            self = .replacingCredential(.unread, attempt)
            return .none
        case .replacingCredential: preconditionFailure("a connection was written to that has been given up")
        case .awaitingHead: preconditionFailure("a connection was written to that the exchange does not have")
        case .acquiringCredential: preconditionFailure("a connection was written to that the exchange does not have")
        case .acquiringUpstream: preconditionFailure("a connection was written to that the exchange does not have")
        case .finished: preconditionFailure("a connection was written to that has been given back")
        case .aborted: preconditionFailure("a connection was written to that has been given up")
        }
    }

    package enum UpstreamDrainedAction: Equatable {
        /// From here on the app has its time for more of the request, or the backend for its answer.
        case renewDeadline
        /// The backend has answered, and the time that runs is that of another token.
        case none
    }

    /// The backend has taken what was queued for it.
    package mutating func upstreamDrained() -> UpstreamDrainedAction {
        switch consume self {
        case .forwarding(let request, let response, let attempt):
            self = .forwarding(request, response, attempt)
            return .renewDeadline
        case .replacingCredential(.unread, let attempt):
            self = .replacingCredential(.unread, attempt)
            return .none
        case .replacingCredential: preconditionFailure("a connection was written to that has been given up")
        case .awaitingHead: preconditionFailure("a connection was written to that the exchange does not have")
        case .acquiringCredential: preconditionFailure("a connection was written to that the exchange does not have")
        case .acquiringUpstream: preconditionFailure("a connection was written to that the exchange does not have")
        case .finished: preconditionFailure("a connection was written to that has been given back")
        case .aborted: preconditionFailure("a connection was written to that has been given up")
        }
    }

    package enum DownstreamBlockedAction: Equatable {
        case pauseUpstream
        /// There is no backend to read from, or what it says is held back.
        case none
    }

    /// The app had no room for all that an earlier turn of the loop wrote, the answers to earlier requests among it.
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
        case .awaitingHead: preconditionFailure("an app got an answer to a request that has not come")
        case .finished: preconditionFailure("an exchange that has finished still wrote to the app")
        case .aborted: preconditionFailure("an exchange that was aborted still wrote to the app")
        }
    }

    package enum DownstreamDrainedAction: Equatable {
        case resumeUpstream
        /// There is no backend to read from, or what it says is held back.
        case none
    }

    /// The app has taken what was queued for it, the answers to earlier requests among it.
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
        case .awaitingHead: preconditionFailure("an app got an answer to a request that has not come")
        case .finished: preconditionFailure("an exchange that has finished still wrote to the app")
        case .aborted: preconditionFailure("an exchange that was aborted still wrote to the app")
        }
    }
}
