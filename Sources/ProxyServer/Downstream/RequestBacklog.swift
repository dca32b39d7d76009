import HTTPWire
import ProxyCore

/// What an app has sent that cannot be used yet, and whose turn it is.
///
/// It holds an incomplete head, requests sent ahead, or a body while the connection to its backend is being opened. An
/// idle connection holds nothing.
struct RequestBacklog: ~Copyable {
    /// Reading pauses once this many bytes are held for later.
    static let limit = 65_536

    /// A class, so that an idle connection needs no room for what it does not hold.
    private final class Held {
        var bytes: [UInt8] = []
        /// How far the head that the bytes begin with has been searched for its end.
        var scanner: HeadScanner

        init(_ scanner: HeadScanner) { self.scanner = scanner }
    }

    /// Nil if nothing is held.
    private var held: Held?
    private var turns = RequestTurns()
    var reading = RequestReadingStateMachine.resting

    var isEmpty: Bool { held == nil }

    /// Whether it holds enough for many turns.
    var isFull: Bool { held.map { $0.bytes.count >= Self.limit } ?? false }

    /// Whether some received bytes have not been looked at yet.
    var hasMore: Bool { reading.hasMore(isHeld: !isEmpty) }

    /// Holds a copy of the bytes, at least one, behind those that are held; `limits` bound a head that they begin.
    mutating func hold(_ bytes: Span<UInt8>, limits: HeadLimits) {
        let held = held ?? Held(HeadScanner(limits: limits))
        held.bytes.append(copying: bytes)
        self.held = held
    }

    /// Hands over the held bytes, if they can be processed further.
    ///
    /// - Parameter isServing: whether a request is in progress; without one, only a complete head helps.
    /// - Returns: the bytes, or nil if they have to wait.
    mutating func take(isServing: Bool) -> [UInt8]? {
        guard let held, reading.isResting else { return nil }
        if !isServing {
            let bytes = held.bytes
            guard held.scanner.scan(bytes.span) else { return nil }
        }
        return takeAll()
    }

    /// Hands over the held bytes whatever they are.
    mutating func takeAll() -> [UInt8] { held.take()?.bytes ?? [] }

    /// A complete head was read; `hasMore` says whether bytes follow it.
    mutating func headRead(hasMore: Bool) { reading.headRead(hasMore: hasMore) }

    /// Whether another request may begin in this turn of the loop; counts it if so.
    mutating func takesRequest(in turn: UInt64) -> Bool { turns.takes(in: turn) }

    /// Allows the full number of requests again in the same turn.
    mutating func renewTurn() { turns.renew() }
}

/// Limits the number of requests that one connection begins in one turn of the loop.
///
/// Without a limit, an app that sends hundreds of requests at once would make all other apps wait.
struct RequestTurns {
    /// The limit, which is small because hundreds of connections may reach it in one turn.
    static let requestsPerTurn = 4

    // One byte each, because every connection has them. The number wraps after 256 turns, which delays a request by one turn
    // at most.
    private var turn: UInt8 = 0
    private var begun: UInt8 = 0

    /// Whether another request may begin in this turn; counts it if so.
    mutating func takes(in turn: UInt64) -> Bool {
        let turn = UInt8(truncatingIfNeeded: turn)
        if turn != self.turn {
            self.turn = turn
            begun = 0
        }
        guard begun < Self.requestsPerTurn else { return false }
        begun += 1
        return true
    }

    /// Allows the full number again in the same turn.
    mutating func renew() { begun = 0 }
}
