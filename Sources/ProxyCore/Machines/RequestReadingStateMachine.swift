/// How an app's connection reads requests from the bytes that have come: one piece at a time, and a few requests a turn.
///
/// What is read may end an exchange at once, or begin and end the next one, all within the same call.
@usableFromInline
package enum RequestReadingStateMachine: ~Copyable {
    /// Nothing is being read. What is held waits for more bytes or for the exchange under way. Left by `readingBegan`.
    case resting
    /// Bytes are being read. Left by `headRead`, `turnAwaited` and `readingEnded`.
    case reading
    /// The exchange of the head that was read begins, and bytes may stand behind that head. Left by `requestBegan`.
    case beginning(hasMore: Bool)
    /// This turn of the loop has begun enough requests; what is held waits for the next one. Left by `turnCame`.
    case awaitingTurn

    /// Bytes that have come are taken up.
    package mutating func readingBegan() {
        switch consume self {
        case .resting: self = .reading
        case .reading: preconditionFailure("bytes were read from inside the reading of others")
        case .beginning: preconditionFailure("bytes were read while a request began")
        case .awaitingTurn: preconditionFailure("bytes were read before those that wait for a turn")
        }
    }

    /// A whole head was read, and its request begins; `hasMore` says that bytes stand behind the head.
    package mutating func headRead(hasMore: Bool) {
        switch consume self {
        case .reading: self = .beginning(hasMore: hasMore)
        case .resting: preconditionFailure("a head was read while nothing was being read")
        case .beginning: preconditionFailure("a head was read while a request began")
        case .awaitingTurn: preconditionFailure("a head was read before its turn")
        }
    }

    /// The request has begun, and may be over already.
    package mutating func requestBegan() {
        switch consume self {
        case .beginning: self = .reading
        case .resting: preconditionFailure("a request began without a head")
        case .reading: preconditionFailure("a request began without a head")
        case .awaitingTurn: preconditionFailure("a request began before its turn")
        }
    }

    /// What is left is to wait for the next turn of the loop.
    package mutating func turnAwaited() {
        switch consume self {
        case .reading: self = .awaitingTurn
        case .resting: preconditionFailure("a turn was awaited without bytes to read")
        case .beginning: preconditionFailure("a turn was awaited while a request began")
        case .awaitingTurn: preconditionFailure("a turn was awaited twice")
        }
    }

    /// As much was read as can be used now.
    package mutating func readingEnded() {
        switch consume self {
        case .reading: self = .resting
        case .awaitingTurn: self = .awaitingTurn
        case .resting: preconditionFailure("reading ended that never began")
        case .beginning: preconditionFailure("reading ended while a request began")
        }
    }

    package enum TurnCameAction: Equatable, Sendable {
        /// Read what is held.
        case read
        /// A drain did not wait for the turn.
        case none
    }

    package mutating func turnCame() -> TurnCameAction {
        switch consume self {
        case .awaitingTurn:
            self = .resting
            return .read
        case .resting:
            self = .resting
            return .none
        case .reading: preconditionFailure("a turn came in the middle of another")
        case .beginning: preconditionFailure("a turn came in the middle of another")
        }
    }

    /// Whether some of what the app has sent is still to be looked at, where some `isHeld` or not.
    @inlinable
    package func hasMore(isHeld: Bool) -> Bool {
        switch self {
        case .beginning(let hasMore): hasMore || isHeld
        case .resting: isHeld
        case .reading: isHeld
        case .awaitingTurn: isHeld
        }
    }

    /// Whether nothing is being read and nothing waits for a turn.
    @inlinable
    package var isResting: Bool {
        switch self {
        case .resting: true
        case .reading: false
        case .beginning: false
        case .awaitingTurn: false
        }
    }

    @inlinable
    package var awaitsTurn: Bool {
        switch self {
        case .awaitingTurn: true
        case .resting: false
        case .reading: false
        case .beginning: false
        }
    }
}
