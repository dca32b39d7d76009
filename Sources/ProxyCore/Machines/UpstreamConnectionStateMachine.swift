/// A connection to a backend: which exchange has it, and what becomes of it when the backend acts or a lease ends.
///
/// The machine holds the exchange for as long as the lease lasts, and knows nothing of it. A turn is a number that the loop
/// gives.
@usableFromInline
package enum UpstreamConnectionStateMachine<Exchange>: ~Copyable {
    /// Just opened. Left by `leased`, `becameIdle` and `closed`.
    case new
    /// With its first exchange. Left by `leaseEnded`.
    case leasedFirst(Exchange)
    /// With an exchange that took it from the pool in that turn. Left by `leaseEnded`.
    case leasedAgain(Exchange, inTurn: UInt64)
    /// Given back; its endpoint decides whether it is kept. Left by `becameIdle` and `closed`.
    case returned
    /// In the pool, and in the worker's order of idle connections. Left by `leased` and `closed`.
    case idle(IdleOrder.Entry)
    /// Nothing leaves.
    case closed

    @usableFromInline
    package enum LeasedAction: Equatable, Sendable {
        case leaveIdle(IdleOrder.Entry)
        /// It was never idle.
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
        case .returned: preconditionFailure("a connection was leased that nobody has kept")
        case .closed: preconditionFailure("a closed connection was leased")
        }
    }

    /// What an exchange leaves behind when it ends its lease.
    @usableFromInline
    package enum LeaseEnd: Equatable, Sendable {
        /// Both messages went through, and another exchange may follow.
        case reusable
        /// Both messages went through, and nothing may follow.
        case complete
        /// A message did not go through.
        case cut
    }

    @usableFromInline
    package enum LeaseEndedAction: Equatable, Sendable {
        /// Give it back to its endpoint.
        case release
        /// Close in order: the connection owes nothing.
        case close
        /// Reset: the backend is to see that a message was cut.
        case abort
    }

    /// The exchange needs the connection no more; `holdsUnread` says that the backend has sent more than it answered.
    @inlinable
    package mutating func leaseEnded(_ end: LeaseEnd, holdsUnread: Bool) -> LeaseEndedAction {
        switch consume self {
        case .leasedFirst: break
        case .leasedAgain: break
        case .new: preconditionFailure("a lease ended that never began")
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

    /// The pool keeps the connection, which has joined the idle ones.
    @inlinable
    package mutating func becameIdle(_ entry: IdleOrder.Entry) {
        switch consume self {
        case .new: self = .idle(entry)
        case .returned: self = .idle(entry)
        case .leasedFirst: preconditionFailure("a connection became idle under its exchange")
        case .leasedAgain: preconditionFailure("a connection became idle under its exchange")
        case .idle: preconditionFailure("a connection became idle twice")
        case .closed: preconditionFailure("a closed connection became idle")
        }
    }

    @usableFromInline
    package enum ClosedAction: Equatable, Sendable {
        case leaveIdle(IdleOrder.Entry)
        /// It was not idle.
        case none
    }

    /// A connection that no exchange has is given up.
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
        case .closed: preconditionFailure("a connection was closed twice")
        }
    }
}
