/// A connection of an app: whether it may take a request, and what becomes of it when one has ended.
package enum DownstreamConnectionStateMachine: ~Copyable {
    /// No request, or a head that is not whole yet. Left by `requestBegan`, `requestsRanOut`, `drainRequested` and `closed`.
    case idle(AppSide)
    /// A request is being served. Left by `exchangeEnded`, `requestRanOut`, `drainRequested` and `closed`.
    case exchanging(AppSide)
    /// The last request is being served; the connection closes after it. Left by `exchangeEnded`, `requestRanOut` and
    /// `closed`.
    case draining(AppSide)
    /// Over. Nothing leaves.
    case closed

    /// What may still come from the app.
    package enum AppSide: Equatable, Sendable {
        case sending
        /// The app has sent all it will; what it asked is still answered.
        case ended
    }

    package mutating func requestBegan() {
        switch consume self {
        case .idle(let app): self = .exchanging(app)
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

    /// The response is on its way, and `hasMore` of what the app sent is still to be looked at.
    package mutating func exchangeEnded(isPersistent: Bool, hasMore: Bool) -> ExchangeEndedAction {
        switch consume self {
        case .exchanging(let app):
            if isPersistent, app == .sending || hasMore {
                self = .idle(app)
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

    /// The app ended its side in order.
    package mutating func appEnded() {
        switch consume self {
        case .idle: self = .idle(.ended)
        case .exchanging: self = .exchanging(.ended)
        case .draining: self = .draining(.ended)
        case .closed: preconditionFailure("a closed connection was ended by its app")
        }
    }

    package enum RequestsRanOutAction: Equatable {
        case close
        /// A request is being served, more may come, or it is over already.
        case none
    }

    /// There is no whole request among the bytes that the app has sent so far.
    package mutating func requestsRanOut() -> RequestsRanOutAction {
        switch consume self {
        case .idle(.ended):
            self = .closed
            return .close
        case .idle(.sending):
            self = .idle(.sending)
            return .none
        case .exchanging(let app):
            self = .exchanging(app)
            return .none
        case .draining(let app):
            self = .draining(app)
            return .none
        case .closed:
            self = .closed
            return .none
        }
    }

    package enum RequestRanOutAction: Equatable {
        /// The app ended in the middle of its request.
        case abort
        /// More may come.
        case none
    }

    /// The request that is being served is not whole, and nothing that the app has sent so far is left to go on with.
    package mutating func requestRanOut() -> RequestRanOutAction {
        switch consume self {
        case .exchanging(.sending):
            self = .exchanging(.sending)
            return .none
        case .draining(.sending):
            self = .draining(.sending)
            return .none
        case .exchanging(.ended):
            self = .closed
            return .abort
        case .draining(.ended):
            self = .closed
            return .abort
        case .idle: preconditionFailure("a request ran out that never began")
        case .closed: preconditionFailure("a request ran out on a closed connection")
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
        case .exchanging(let app):
            self = .draining(app)
            return .none
        case .draining(let app):
            self = .draining(app)
            return .none
        case .closed:
            self = .closed
            return .none
        }
    }

    package enum ClosedAction: Equatable {
        /// The connection is over by this.
        case leave
        /// It was over before.
        case none
    }

    /// The connection broke, or was given up.
    package mutating func closed() -> ClosedAction {
        switch consume self {
        case .idle: self = .closed
        case .exchanging: self = .closed
        case .draining: self = .closed
        case .closed:
            self = .closed
            return .none
        }
        return .leave
    }

    /// Whether the response under way is the last one and must say that the connection closes, as `exchangeEnded` does.
    package func isLastResponse(hasMore: Bool) -> Bool {
        switch self {
        case .draining: true
        case .exchanging(let app): app == .ended && !hasMore
        case .idle: false
        case .closed: false
        }
    }

    package var isClosed: Bool {
        switch self {
        case .closed: true
        case .idle: false
        case .exchanging: false
        case .draining: false
        }
    }
}
