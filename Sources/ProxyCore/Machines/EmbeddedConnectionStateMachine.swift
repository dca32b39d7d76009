/// An embedded server's connection: when its next request gets a turn, and when the connection closes.
package enum EmbeddedConnectionStateMachine: ~Copyable {
    /// No request is being read or answered. Left by `progressed`, `requestBegan`, `requestsRanOut` and `closed`.
    case awaitingRequest(Client)
    /// The connection waits for its turn after those that asked before. Left by `turnCame` and `closed`.
    case awaitingTurn(Client)
    /// A request is being answered. Left by `answered` and `closed`.
    case answering(Client)
    /// Final.
    case closed

    /// Whether the client may still send.
    package enum Client: Equatable, Sendable {
        case sending
        /// The client has ended its side; its requests are still answered.
        case ended
    }

    package mutating func clientEnded() {
        switch consume self {
        case .awaitingRequest: self = .awaitingRequest(.ended)
        case .awaitingTurn: self = .awaitingTurn(.ended)
        case .answering: self = .answering(.ended)
        case .closed: preconditionFailure("a closed connection was ended by its client")
        }
    }

    package enum ProgressedAction: Equatable {
        case awaitTurn
        /// Nothing to do now, or it is being done already.
        case none
    }

    /// Bytes, the client's end or the last response's end; a client that has not read its responses (`isBlocked`)
    /// gets no turn.
    package mutating func progressed(holdsBytes: Bool, isBlocked: Bool) -> ProgressedAction {
        switch consume self {
        case .awaitingRequest(let client):
            guard !isBlocked, holdsBytes || client == .ended else {
                self = .awaitingRequest(client)
                return .none
            }
            self = .awaitingTurn(client)
            return .awaitTurn
        case .awaitingTurn(let client): self = .awaitingTurn(client)
        case .answering(let client): self = .answering(client)
        case .closed: self = .closed
        }
        return .none
    }

    package mutating func turnCame() {
        switch consume self {
        case .awaitingTurn(let client): self = .awaitingRequest(client)
        case .awaitingRequest: preconditionFailure("a turn came that was not awaited")
        case .answering: preconditionFailure("a turn came that was not awaited")
        case .closed: preconditionFailure("a turn came to a closed connection")
        }
    }

    /// A complete request was read.
    package mutating func requestBegan() {
        switch consume self {
        case .awaitingRequest(let client): self = .answering(client)
        case .awaitingTurn: preconditionFailure("a request began before its turn")
        case .answering: preconditionFailure("a request began before the one before it was answered")
        case .closed: preconditionFailure("a request began on a closed connection")
        }
    }

    package enum RequestsRanOutAction: Equatable {
        case close
        /// More bytes may arrive.
        case none
    }

    /// The received bytes hold no complete request.
    package mutating func requestsRanOut() -> RequestsRanOutAction {
        switch consume self {
        case .awaitingRequest(.ended):
            self = .closed
            return .close
        case .awaitingRequest(.sending):
            self = .awaitingRequest(.sending)
            return .none
        case .awaitingTurn: preconditionFailure("requests ran out before they were read")
        case .answering: preconditionFailure("requests ran out while one was answered")
        case .closed: preconditionFailure("requests ran out on a closed connection")
        }
    }

    package enum AnsweredAction: Equatable {
        case write
        case writeAndClose
        /// The connection closed while the response was being made.
        case none
    }

    package mutating func answered(isPersistent: Bool) -> AnsweredAction {
        switch consume self {
        case .answering(let client):
            self = isPersistent ? .awaitingRequest(client) : .closed
            return isPersistent ? .write : .writeAndClose
        case .closed:
            self = .closed
            return .none
        case .awaitingRequest: preconditionFailure("a request was answered twice")
        case .awaitingTurn: preconditionFailure("a request was answered twice")
        }
    }

    package enum ClosedAction: Equatable {
        /// The connection is closed by this event.
        case leave
        /// The connection was closed before.
        case none
    }

    /// The connection broke or is closed by the server.
    package mutating func closed() -> ClosedAction {
        switch consume self {
        case .awaitingRequest: self = .closed
        case .awaitingTurn: self = .closed
        case .answering: self = .closed
        case .closed:
            self = .closed
            return .none
        }
        return .leave
    }

    package enum RoomNeededAction: Equatable {
        case close
        case keep
        /// The connection was closed before.
        case none
    }

    /// Another connection needs the room, and all bytes that the client has sent are read.
    package func roomNeeded(holdsBytes: Bool) -> RoomNeededAction {
        switch self {
        case .awaitingRequest: .close
        case .awaitingTurn: holdsBytes ? .keep : .close
        case .answering: .keep
        case .closed: .none
        }
    }

    /// Whether no request awaits a response.
    package var isIdle: Bool {
        switch self {
        case .awaitingRequest: true
        case .awaitingTurn: false
        case .answering: false
        case .closed: true
        }
    }

    /// Whether a request has been read and not answered.
    package var isAnswering: Bool {
        switch self {
        case .awaitingRequest: false
        case .awaitingTurn: false
        case .answering: true
        case .closed: false
        }
    }
}
