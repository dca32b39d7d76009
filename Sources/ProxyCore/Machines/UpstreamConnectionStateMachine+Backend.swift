/// Who handles an event from the backend: the exchange that has the connection; without one, the event ends the
/// connection.
extension UpstreamConnectionStateMachine {
    @usableFromInline
    package enum BytesReceivedAction {
        case forward(Exchange)
        /// The bytes are no response to the request of this exchange.
        case fail(Exchange)
        /// Bytes that a backend sends unasked are no response (RFC 9112 section 9.2).
        case close
    }

    /// The backend sent bytes, which were read in this turn.
    ///
    /// Bytes that can be read in the same turn in which the connection left the pool were sent before the request.
    @inlinable
    package func bytesReceived(inTurn turn: UInt64) -> BytesReceivedAction {
        switch self {
        case .leasedFirst(let exchange): .forward(exchange)
        case .leasedAgain(let exchange, let leasedIn): turn == leasedIn ? .fail(exchange) : .forward(exchange)
        case .idle: .close
        case .tunnelling: preconditionFailure("bytes arrived that belong to a tunnel")
        case .new: preconditionFailure("bytes arrived on a connection before its first lease")
        case .returned: preconditionFailure("bytes arrived on a connection while it was being returned")
        case .closed: preconditionFailure("bytes arrived on a closed connection")
        }
    }

    @usableFromInline
    package enum BackendStoppedAction {
        case tell(Exchange)
        case close
    }

    /// The backend closed its side, broke the connection, or takes no more bytes at the moment.
    @inlinable
    package func backendStopped() -> BackendStoppedAction {
        switch self {
        case .leasedFirst(let exchange): .tell(exchange)
        case .leasedAgain(let exchange, _): .tell(exchange)
        // If it takes no more, the next request would wait behind the rest of an earlier one that was answered early.
        case .idle: .close
        case .tunnelling: preconditionFailure("a side of a tunnel ended, which alone hears of it")
        case .new: preconditionFailure("a connection ended before its first lease")
        case .returned: preconditionFailure("a connection ended while it was being returned")
        case .closed: preconditionFailure("a closed connection ended")
        }
    }

    @usableFromInline
    package enum DrainedAction {
        case tell(Exchange)
        /// The last bytes of an exchange left after its whole response had arrived.
        case none
    }

    /// The backend has taken all queued bytes.
    @inlinable
    package func drained() -> DrainedAction {
        switch self {
        case .leasedFirst(let exchange): .tell(exchange)
        case .leasedAgain(let exchange, _): .tell(exchange)
        case .idle: .none
        case .tunnelling: preconditionFailure("a side of a tunnel drained, which alone hears of it")
        case .new: preconditionFailure("a connection drained before its first lease")
        case .returned: preconditionFailure("a connection drained while it was being returned")
        case .closed: preconditionFailure("a closed connection drained")
        }
    }

    /// Whether the connection was idle in the pool before its exchange, so that its loss may be the backend's idle
    /// timeout.
    @inlinable
    package var isReused: Bool {
        switch self {
        case .leasedAgain: true
        case .leasedFirst: false
        case .tunnelling: false
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
