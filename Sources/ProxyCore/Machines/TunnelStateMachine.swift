/// Two connections whose bytes go to each other unread: when a side is read, when it gets the other's end, and when both
/// close.
///
/// Owned by the tunnel, on one loop. Each direction has a flow of its own, so that one may end before the other.
package enum TunnelStateMachine: ~Copyable {
    /// Left by the second `ended`, and by `broken`.
    case open(toBackend: Flow, toApp: Flow)
    /// Final.
    case closed

    /// The bytes of one direction.
    package enum Flow: Equatable, Sendable {
        /// The sender is read.
        case moving
        /// The sender is not read until the receiver has taken what is queued.
        case blocked
        /// The sender has ended; the receiver gets the end behind the queued bytes.
        case ended
    }

    package enum Side: Equatable, Sendable {
        case app
        case backend

        package var other: Side {
            switch self {
            case .app: .backend
            case .backend: .app
            }
        }
    }

    package enum BlockedAction: Equatable {
        /// Stop reading the other side.
        case pauseSender
        /// The sender has paused or ended already, or the tunnel is closed.
        case none
    }

    /// The side has not taken all that was written to it.
    package mutating func blocked(_ receiver: Side) -> BlockedAction {
        switch consume self {
        case .open(let toBackend, let toApp):
            let flow = receiver == .backend ? toBackend : toApp
            switch flow {
            case .moving:
                self =
                    receiver == .backend
                    ? .open(toBackend: .blocked, toApp: toApp) : .open(toBackend: toBackend, toApp: .blocked)
                return .pauseSender
            case .blocked, .ended:
                self = .open(toBackend: toBackend, toApp: toApp)
                return .none
            }
        case .closed:
            self = .closed
            return .none
        }
    }

    package enum DrainedAction: Equatable {
        case resumeSender
        /// The sender has ended.
        case none
    }

    /// The side has taken all that was written to it.
    package mutating func drained(_ receiver: Side) -> DrainedAction {
        switch consume self {
        case .open(let toBackend, let toApp):
            let flow = receiver == .backend ? toBackend : toApp
            switch flow {
            case .blocked:
                self =
                    receiver == .backend
                    ? .open(toBackend: .moving, toApp: toApp) : .open(toBackend: toBackend, toApp: .moving)
                return .resumeSender
            case .moving, .ended:
                self = .open(toBackend: toBackend, toApp: toApp)
                return .none
            }
        case .closed: preconditionFailure("a side of a closed tunnel took bytes")
        }
    }

    package enum EndedAction: Equatable {
        /// End the other side behind what was written to it, and go on reading it.
        case endReceiver
        /// Both have ended: close both in order.
        case close
    }

    /// The side has ended in order.
    package mutating func ended(_ sender: Side) -> EndedAction {
        switch consume self {
        case .open(let toBackend, let toApp):
            let (own, other) = sender == .app ? (toBackend, toApp) : (toApp, toBackend)
            guard own != .ended else { preconditionFailure("a side of a tunnel ended twice") }
            guard other != .ended else {
                self = .closed
                return .close
            }
            self =
                sender == .app ? .open(toBackend: .ended, toApp: toApp) : .open(toBackend: toBackend, toApp: .ended)
            return .endReceiver
        case .closed: preconditionFailure("a side of a closed tunnel ended")
        }
    }

    package enum BrokenAction: Equatable {
        /// Reset what is left of both connections, so that no side takes the end for an orderly one.
        case abort
        /// The tunnel was closed before.
        case none
    }

    /// A side broke, a limit was reached, or the process ends.
    package mutating func broken() -> BrokenAction {
        switch consume self {
        case .open:
            self = .closed
            return .abort
        case .closed:
            self = .closed
            return .none
        }
    }
}
