/// Whom concerns what the backend does: the exchange that has the connection, or nobody, which ends it.
extension UpstreamConnectionStateMachine {
    @usableFromInline
    package enum BytesReceivedAction {
        case forward(Exchange)
        /// Nothing that came is an answer to the request of this exchange.
        case fail(Exchange)
        /// What a backend says unasked is nobody's response (RFC 9112 section 9.2).
        case close
    }

    /// The backend sent bytes, which were read in this turn.
    ///
    /// What can be read in the turn that took the connection from the pool was sent before the request was.
    @inlinable
    package func bytesReceived(inTurn turn: UInt64) -> BytesReceivedAction {
        switch self {
        case .leasedFirst(let exchange): .forward(exchange)
        case .leasedAgain(let exchange, let leasedIn): turn == leasedIn ? .fail(exchange) : .forward(exchange)
        case .idle: .close
        case .new: preconditionFailure("bytes came from a connection before anybody could have it")
        case .returned: preconditionFailure("bytes came from a connection while it was given back")
        case .closed: preconditionFailure("bytes came from a closed connection")
        }
    }

    @usableFromInline
    package enum BackendStoppedAction {
        case tell(Exchange)
        case close
    }

    /// The backend ended its side, broke the connection, or takes nothing more at the moment.
    @inlinable
    package func backendStopped() -> BackendStoppedAction {
        switch self {
        case .leasedFirst(let exchange): .tell(exchange)
        case .leasedAgain(let exchange, _): .tell(exchange)
        // Where it takes nothing, the next request would wait behind the rest of one that was answered early.
        case .idle: .close
        case .new: preconditionFailure("a connection ended before anybody could have it")
        case .returned: preconditionFailure("a connection ended while it was given back")
        case .closed: preconditionFailure("a closed connection ended")
        }
    }

    @usableFromInline
    package enum DrainedAction {
        case tell(Exchange)
        /// The end of what an exchange wrote went out when it had its whole response.
        case none
    }

    /// The backend has taken what was queued for it.
    @inlinable
    package func drained() -> DrainedAction {
        switch self {
        case .leasedFirst(let exchange): .tell(exchange)
        case .leasedAgain(let exchange, _): .tell(exchange)
        case .idle: .none
        case .new: preconditionFailure("a connection drained before anybody wrote to it")
        case .returned: preconditionFailure("a connection drained while it was given back")
        case .closed: preconditionFailure("a closed connection drained")
        }
    }

    /// Whether it waited in the pool before its exchange took it, so that its loss may be the backend's idle time-out.
    @inlinable
    package var isReused: Bool {
        switch self {
        case .leasedAgain: true
        case .leasedFirst: false
        case .new: false
        case .returned: false
        case .idle: false
        case .closed: false
        }
    }
}

extension UpstreamConnectionStateMachine.BytesReceivedAction: Equatable where Exchange: Equatable {}
extension UpstreamConnectionStateMachine.BytesReceivedAction: Sendable where Exchange: Sendable {}
extension UpstreamConnectionStateMachine.BackendStoppedAction: Equatable where Exchange: Equatable {}
extension UpstreamConnectionStateMachine.BackendStoppedAction: Sendable where Exchange: Sendable {}
extension UpstreamConnectionStateMachine.DrainedAction: Equatable where Exchange: Equatable {}
extension UpstreamConnectionStateMachine.DrainedAction: Sendable where Exchange: Sendable {}
