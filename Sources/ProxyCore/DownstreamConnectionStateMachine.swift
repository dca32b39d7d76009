/// A connection of an app: whether it may take a request, and what becomes of it when one has ended.
package enum DownstreamConnectionStateMachine: ~Copyable {
    /// No request, or a head that is not whole yet. Left by `requestBegan`, `drainRequested` and `closed`.
    case idle
    /// A request is being served. Left by `exchangeEnded` and `closed`.
    case exchanging
    /// The last request is being served; the connection closes after it. Left by `exchangeEnded` and `closed`.
    case draining
    /// Over. Nothing leaves.
    case closed

    package mutating func requestBegan() {
        switch consume self {
        case .idle: self = .exchanging
        case .exchanging: preconditionFailure("a request began before the one before it had ended")
        case .draining: preconditionFailure("a request began on a connection that is to close")
        case .closed: preconditionFailure("a request began on a closed connection")
        }
    }

    package enum ExchangeEndedAction: Equatable {
        case awaitRequest
        case close
        /// The connection was closed before its exchange had ended.
        case none
    }

    package mutating func exchangeEnded(isPersistent: Bool) -> ExchangeEndedAction {
        switch consume self {
        case .exchanging:
            if isPersistent {
                self = .idle
                return .awaitRequest
            }
            self = .closed
            return .close
        case .draining:
            self = .closed
            return .close
        case .closed:
            self = .closed
            return .none
        case .idle: preconditionFailure("an exchange ended that never began")
        }
    }

    package enum DrainAction: Equatable {
        case close
        /// The exchange under way ends first.
        case none
    }

    package mutating func drainRequested() -> DrainAction {
        switch consume self {
        case .idle:
            self = .closed
            return .close
        case .exchanging:
            self = .draining
            return .none
        case .draining:
            self = .draining
            return .none
        case .closed:
            self = .closed
            return .none
        }
    }

    /// Whether the response under way must say that the connection closes.
    package var isDraining: Bool {
        switch self {
        case .draining: true
        case .idle: false
        case .exchanging: false
        case .closed: false
        }
    }

    package mutating func closed() {
        switch consume self {
        case .idle: self = .closed
        case .exchanging: self = .closed
        case .draining: self = .closed
        case .closed: self = .closed
        }
    }
}
