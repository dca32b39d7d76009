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
