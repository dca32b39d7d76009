import HTTPWire
import ProxyCore

/// What an app has sent that cannot be used yet, and whose turn it is.
///
/// It holds an incomplete head, requests sent ahead, or a body while the connection to its backend is being opened. An
/// idle connection holds nothing.
struct RequestBacklog: ~Copyable {
    /// Reading pauses once this many bytes are held for later.
    static let limit = 65_536

    private let limits: HeadLimits
    private var held: [UInt8] = []
    private var scanner: HeadScanner
    private var turns = RequestTurns()
    var reading = RequestReadingStateMachine.resting

    init(limits: HeadLimits) {
        self.limits = limits
        scanner = HeadScanner(limits: limits)
    }

    var isEmpty: Bool { held.isEmpty }

    /// Whether it holds enough for many turns.
    var isFull: Bool { held.count >= Self.limit }

    /// Whether some received bytes have not been looked at yet.
    var hasMore: Bool { reading.hasMore(isHeld: !held.isEmpty) }

    mutating func hold(_ bytes: Span<UInt8>) { held.append(copying: bytes) }

    /// Hands over the held bytes, if they can be processed further.
    ///
    /// - Parameter isServing: whether a request is in progress; without one, only a complete head helps.
    /// - Returns: the bytes, or nil if they have to wait.
    mutating func take(isServing: Bool) -> [UInt8]? {
        guard !held.isEmpty, reading.isResting else { return nil }
        if !isServing {
            var scanner = scanner
            let isComplete = scanner.scan(held.span)
            self.scanner = scanner
            guard isComplete else { return nil }
        }
        return takeAll()
    }

    /// Hands over the held bytes whatever they are.
    mutating func takeAll() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &held)
        return taken
    }

    /// A complete head was read; `hasMore` says whether bytes follow it.
    mutating func headRead(hasMore: Bool) {
        scanner = HeadScanner(limits: limits)
        reading.headRead(hasMore: hasMore)
    }

    /// Whether another request may begin in this turn of the loop; counts it if so.
    mutating func takesRequest(in turn: UInt64) -> Bool { turns.takes(in: turn) }

    /// Allows the full number of requests again in the same turn.
    mutating func renewTurn() { turns.renew() }
}
