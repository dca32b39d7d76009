/// An app's connection: whether it may begin a request, and what happens to it after an exchange.
package enum DownstreamConnectionStateMachine: ~Copyable {
    /// No request in progress, or an incomplete head. Left by `requestBegan`, `requestsRanOut`, `drainRequested` and
    /// `closed`.
    case idle(AppSide)
    /// No request in progress, or an incomplete head, and one more request may begin because a drain came while it was
    /// perhaps on its way. Left by `requestBegan`, `requestsRanOut` and `closed`.
    case awaitingLast(AppSide)
    /// A request is being served. Left by `exchangeEnded`, `requestRanOut`, `tunnelBegan`, `drainRequested` and
    /// `closed`.
    case exchanging(AppSide)
    /// The last request is being served; the connection closes after it. Left by `exchangeEnded`, `requestRanOut`,
    /// `tunnelBegan` and `closed`.
    case draining(AppSide)
    /// The connection is a side of a tunnel, which alone decides about it. Left by `closed`.
    case tunnelling
    /// The connection is closed. Final.
    case closed

    /// Whether the app may still send.
    package enum AppSide: Equatable, Sendable {
        case sending
        /// The app has ended its side; its earlier requests are still answered.
        case ended
    }

    package mutating func requestBegan() {
        switch consume self {
        case .idle(let app): self = .exchanging(app)
        case .awaitingLast(let app): self = .draining(app)
        case .exchanging: preconditionFailure("a request began before the one before it had ended")
        case .draining: preconditionFailure("a request began on a connection that is to close")
        case .tunnelling: preconditionFailure("a request began inside a tunnel")
        case .closed: preconditionFailure("a request began on a closed connection")
        }
    }

    package enum ExchangeEndedAction: Equatable {
        case awaitRequest
        /// The app may still be sending, so it gets time to read the response.
        case closeAfterResponse
        /// The app sends nothing more, so that there is nothing to wait for.
        case closeAtOnce
        /// The connection was closed before its exchange ended.
        case none
    }

    /// The response is written or queued.
    ///
    /// - Parameters:
    ///   - isPersistent: whether the response lets the connection go on.
    ///   - isLastRequest: whether the request is complete and said that no other follows it (RFC 9112 section 9.6).
    ///   - hasMore: whether received bytes are still unread.
    /// - Returns: whether the connection awaits the next request, or how it closes.
    package mutating func exchangeEnded(
        isPersistent: Bool, isLastRequest: Bool, hasMore: Bool
    ) -> ExchangeEndedAction {
        let app: AppSide
        switch consume self {
        case .exchanging(let side):
            if isPersistent, side == .sending || hasMore {
                self = .idle(side)
                return .awaitRequest
            }
            app = side
        case .draining(let side): app = side
        case .closed:
            self = .closed
            return .none
        case .idle: preconditionFailure("an exchange ended before it began")
        case .awaitingLast: preconditionFailure("an exchange ended before it began")
        case .tunnelling: preconditionFailure("an exchange ended after it had become a tunnel")
        }
        self = .closed
        return app == .ended || (isLastRequest && !hasMore) ? .closeAtOnce : .closeAfterResponse
    }

    /// The app closed its side in order.
    package mutating func appEnded() {
        switch consume self {
        case .idle: self = .idle(.ended)
        case .awaitingLast: self = .awaitingLast(.ended)
        case .exchanging: self = .exchanging(.ended)
        case .draining: self = .draining(.ended)
        case .tunnelling: preconditionFailure("an app ended its side of a tunnel, which alone hears of it")
        case .closed: preconditionFailure("a closed connection was ended by its app")
        }
    }

    package enum TunnelBeganAction: Equatable {
        case readApp
        /// Its end goes to the backend, behind the bytes that it has sent.
        case passEnd
    }

    /// The exchange in progress becomes a tunnel, and the connection one of its sides.
    package mutating func tunnelBegan() -> TunnelBeganAction {
        let app: AppSide
        switch consume self {
        case .exchanging(let side): app = side
        case .draining(let side): app = side
        case .idle: preconditionFailure("a tunnel began without a request")
        case .awaitingLast: preconditionFailure("a tunnel began without a request")
        case .tunnelling: preconditionFailure("a tunnel began inside another")
        case .closed: preconditionFailure("a tunnel began on a closed connection")
        }
        self = .tunnelling
        return app == .ended ? .passEnd : .readApp
    }

    package enum RequestsRanOutAction: Equatable {
        case close
        /// A request is being served, more bytes may arrive, or the connection is closed already.
        case none
    }

    /// The received bytes hold no further complete request.
    package mutating func requestsRanOut() -> RequestsRanOutAction {
        switch consume self {
        case .idle(.ended):
            self = .closed
            return .close
        case .awaitingLast(.ended):
            self = .closed
            return .close
        case .idle(.sending):
            self = .idle(.sending)
            return .none
        case .awaitingLast(.sending):
            self = .awaitingLast(.sending)
            return .none
        case .exchanging(let app):
            self = .exchanging(app)
            return .none
        case .draining(let app):
            self = .draining(app)
            return .none
        case .tunnelling: preconditionFailure("requests ran out inside a tunnel")
        case .closed:
            self = .closed
            return .none
        }
    }

    package enum RequestRanOutAction: Equatable {
        /// The app closed its side in the middle of its request.
        case abort
        /// More bytes may arrive.
        case none
    }

    /// The request in progress is incomplete, and all received bytes are used.
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
        case .idle: preconditionFailure("a request ran out before it began")
        case .awaitingLast: preconditionFailure("a request ran out before it began")
        case .tunnelling: preconditionFailure("a request ran out after it had become a tunnel")
        case .closed: preconditionFailure("a request ran out on a closed connection")
        }
    }

    package enum DrainAction: Equatable {
        case close
        /// A last request may be on its way, and closing now would lose it.
        case awaitLast
        /// What is in progress or awaited ends first.
        case none
    }

    /// The connection is to close without losing a request.
    ///
    /// - Parameter mayFollow: whether the app has begun a request or may just be sending one.
    /// - Returns: whether the connection closes now.
    package mutating func drainRequested(mayFollow: Bool) -> DrainAction {
        switch consume self {
        case .idle(.sending) where mayFollow:
            self = .awaitingLast(.sending)
            return .awaitLast
        case .idle:
            self = .closed
            return .close
        case .awaitingLast(let app):
            self = .awaitingLast(app)
            return .none
        case .exchanging(let app):
            self = .draining(app)
            return .none
        case .draining(let app):
            self = .draining(app)
            return .none
        case .tunnelling:
            self = .tunnelling
            return .none
        case .closed:
            self = .closed
            return .none
        }
    }

    package enum ClosedAction: Equatable {
        /// The connection is closed by this event.
        case leave
        /// The connection was closed before.
        case none
    }

    /// The connection broke or was aborted.
    package mutating func closed() -> ClosedAction {
        switch consume self {
        case .idle: self = .closed
        case .awaitingLast: self = .closed
        case .exchanging: self = .closed
        case .draining: self = .closed
        case .tunnelling: self = .closed
        case .closed:
            self = .closed
            return .none
        }
        return .leave
    }

    /// Whether the response in progress is the last one and must announce the close that `exchangeEnded` decides.
    package func isLastResponse(hasMore: Bool) -> Bool {
        switch self {
        case .draining: true
        case .exchanging(let app): app == .ended && !hasMore
        case .idle: false
        case .awaitingLast: false
        case .tunnelling: false
        case .closed: false
        }
    }

    /// Whether a drain lets no further request begin.
    package var isDraining: Bool {
        switch self {
        case .draining: true
        case .idle: false
        case .awaitingLast: false
        case .exchanging: false
        case .tunnelling: false
        case .closed: false
        }
    }

    /// Whether a drain waits for a last request that may be on its way.
    package var awaitsLast: Bool {
        switch self {
        case .awaitingLast: true
        case .idle: false
        case .exchanging: false
        case .draining: false
        case .tunnelling: false
        case .closed: false
        }
    }

    package var isClosed: Bool {
        switch self {
        case .closed: true
        case .idle: false
        case .awaitingLast: false
        case .exchanging: false
        case .draining: false
        case .tunnelling: false
        }
    }
}
