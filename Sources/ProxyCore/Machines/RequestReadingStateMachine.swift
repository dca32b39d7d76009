/// How an app's connection reads requests from received bytes: one piece at a time, and a few requests in each turn
/// of the loop.
///
/// Reading may end an exchange at once, or begin and end the next one, all within the same call.
@usableFromInline
package enum RequestReadingStateMachine: ~Copyable {
    /// Nothing is being read. Held bytes wait for more bytes or for the exchange in progress. Left by `readingBegan`.
    case resting
    /// Bytes are being read. Left by `headRead`, `turnAwaited` and `readingEnded`.
    case reading
    /// The exchange for the head that was read begins; more bytes may follow that head. Left by `requestBegan`.
    case beginning(hasMore: Bool)
    /// This turn of the loop has begun enough requests; held bytes wait for the next turn. Left by `turnCame`.
    case awaitingTurn

    /// Begins to read received bytes.
    package mutating func readingBegan() {
        switch consume self {
        case .resting: self = .reading
        case .reading: preconditionFailure("bytes were read while others were being read")
        case .beginning: preconditionFailure("bytes were read while a request began")
        case .awaitingTurn: preconditionFailure("bytes were read before those that wait for a turn")
        }
    }

    /// A complete head was read, and its request begins; `hasMore` says that bytes follow the head.
    package mutating func headRead(hasMore: Bool) {
        switch consume self {
        case .reading: self = .beginning(hasMore: hasMore)
        case .resting: preconditionFailure("a head was read while nothing was being read")
        case .beginning: preconditionFailure("a head was read while a request began")
        case .awaitingTurn: preconditionFailure("a head was read before its turn")
        }
    }

    /// The request has begun, and may already be over.
    package mutating func requestBegan() {
        switch consume self {
        case .beginning: self = .reading
        case .resting: preconditionFailure("a request began without a head")
        case .reading: preconditionFailure("a request began without a head")
        case .awaitingTurn: preconditionFailure("a request began before its turn")
        }
    }

    /// The rest of the bytes waits for the next turn of the loop.
    package mutating func turnAwaited() {
        switch consume self {
        case .reading: self = .awaitingTurn
        case .resting: preconditionFailure("a turn was awaited without bytes to read")
        case .beginning: preconditionFailure("a turn was awaited while a request began")
        case .awaitingTurn: preconditionFailure("a turn was awaited twice")
        }
    }

    /// All bytes that are usable now have been read.
    package mutating func readingEnded() {
        switch consume self {
        case .reading: self = .resting
        case .awaitingTurn: self = .awaitingTurn
        case .resting: preconditionFailure("reading ended before it began")
        case .beginning: preconditionFailure("reading ended while a request began")
        }
    }

    package enum TurnCameAction: Equatable, Sendable {
        /// Read the held bytes.
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

    /// Whether some received bytes have not been looked at yet; `isHeld` says that some are held.
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
