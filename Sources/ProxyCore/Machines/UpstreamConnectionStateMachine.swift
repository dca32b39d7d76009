/// A connection to a backend: which exchange has it, and what happens to it when the backend acts or a lease ends.
///
/// The machine holds the exchange during the lease, and never calls it. A turn is the loop's number.
@usableFromInline
package enum UpstreamConnectionStateMachine<Exchange>: ~Copyable {
    /// Just opened. Left by `leased`, `tunnelBegan`, `becameIdle` and `closed`.
    case new
    /// With its first exchange. Left by `tunnelBegan` and `leaseEnded`.
    case leasedFirst(Exchange)
    /// With an exchange that took it from the pool in `inTurn`. Left by `tunnelBegan` and `leaseEnded`.
    case leasedAgain(Exchange, inTurn: UInt64)
    /// A side of a tunnel, which alone hears of its events. Left by `leaseEnded`.
    case tunnelling
    /// Given back; its endpoint decides whether it is kept. Left by `becameIdle` and `closed`.
    case returned
    /// In the pool, and in the worker's order of idle connections. Left by `leased` and `closed`.
    case idle(IdleOrder.Entry)
    /// Final.
    case closed

    @usableFromInline
    package enum LeasedAction: Equatable, Sendable {
        case leaveIdle(IdleOrder.Entry)
        /// The connection was never idle.
        case none
    }

    /// An exchange takes the connection.
    @inlinable
    package mutating func leased(to exchange: Exchange, inTurn turn: UInt64) -> LeasedAction {
        switch consume self {
        case .new:
            self = .leasedFirst(exchange)
            return .none
        case .idle(let entry):
            self = .leasedAgain(exchange, inTurn: turn)
            return .leaveIdle(entry)
        case .leasedFirst: preconditionFailure("a connection was leased twice")
        case .leasedAgain: preconditionFailure("a connection was leased twice")
        case .tunnelling: preconditionFailure("a connection was leased that a tunnel has")
        case .returned: preconditionFailure("a connection was leased that the pool had not kept")
        case .closed: preconditionFailure("a closed connection was leased")
        }
    }

    /// The connection becomes a side of a tunnel, until `leaseEnded`.
    @inlinable
    package mutating func tunnelBegan() {
        switch consume self {
        case .new: self = .tunnelling
        case .leasedFirst: self = .tunnelling
        case .leasedAgain: self = .tunnelling
        case .tunnelling: preconditionFailure("a tunnel got a connection twice")
        case .returned: preconditionFailure("a tunnel got a connection that was returned")
        case .idle: preconditionFailure("a tunnel got an idle connection")
        case .closed: preconditionFailure("a tunnel got a closed connection")
        }
    }

    /// The state in which an exchange leaves the connection.
    @usableFromInline
    package enum LeaseEnd: Equatable, Sendable {
        /// Both messages are complete, and another exchange may follow.
        case reusable
        /// Both messages are complete, but no other exchange may follow.
        case complete
        /// A message is incomplete.
        case cut
    }

    @usableFromInline
    package enum LeaseEndedAction: Equatable, Sendable {
        /// Return the connection to its endpoint.
        case release
        /// Close in order: nothing is owed to the backend.
        case close
        /// Reset, so that the backend sees that a message was cut.
        case abort
    }

    /// The exchange no longer needs the connection; `holdsUnread` says that the backend has sent more than the
    /// response.
    @inlinable
    package mutating func leaseEnded(_ end: LeaseEnd, holdsUnread: Bool) -> LeaseEndedAction {
        switch consume self {
        case .leasedFirst: break
        case .leasedAgain: break
        case .tunnelling: break
        case .new: preconditionFailure("a lease ended before it began")
        case .returned: preconditionFailure("a lease ended twice")
        case .idle: preconditionFailure("a lease ended twice")
        case .closed: preconditionFailure("a lease ended after its connection was closed")
        }
        switch end {
        case .reusable:
            self = holdsUnread ? .closed : .returned
            return holdsUnread ? .close : .release
        case .complete:
            self = .closed
            return .close
        case .cut:
            self = .closed
            return .abort
        }
    }

    /// The pool keeps the connection, which is now in the order of idle connections.
    @inlinable
    package mutating func becameIdle(_ entry: IdleOrder.Entry) {
        switch consume self {
        case .new: self = .idle(entry)
        case .returned: self = .idle(entry)
        case .leasedFirst: preconditionFailure("a connection became idle under its exchange")
        case .leasedAgain: preconditionFailure("a connection became idle under its exchange")
        case .tunnelling: preconditionFailure("a connection became idle inside a tunnel")
        case .idle: preconditionFailure("a connection became idle twice")
        case .closed: preconditionFailure("a closed connection became idle")
        }
    }

    @usableFromInline
    package enum ClosedAction: Equatable, Sendable {
        case leaveIdle(IdleOrder.Entry)
        /// The connection was not idle.
        case none
    }

    /// A connection without an exchange is closed.
    @inlinable
    package mutating func closed() -> ClosedAction {
        switch consume self {
        case .new:
            self = .closed
            return .none
        case .returned:
            self = .closed
            return .none
        case .idle(let entry):
            self = .closed
            return .leaveIdle(entry)
        case .leasedFirst: preconditionFailure("a connection was closed under its exchange")
        case .leasedAgain: preconditionFailure("a connection was closed under its exchange")
        case .tunnelling: preconditionFailure("a connection was closed under its tunnel")
        case .closed: preconditionFailure("a connection was closed twice")
        }
    }
}

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
