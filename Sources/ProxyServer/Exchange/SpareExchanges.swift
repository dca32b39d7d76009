/// A worker's unused exchanges, in the order in which they ended.
///
/// An exchange that ended serves another request in a later turn of the loop at the earliest, when none of its
/// methods is still on the stack.
struct SpareExchanges: ~Copyable {
    private struct Spare {
        let exchange: Exchange
        /// The turn of the loop in which the exchange ended.
        let turn: UInt64
    }

    /// A ring: `count` elements from `first` on.
    private var ring = [Spare?](repeating: nil, count: Self.limit)
    private var first = 0
    private var count = 0
    /// The number of a new exchange, which rises with each change of what is in force.
    private(set) var generation = 0
    /// The generation of the exchanges that are kept; nil if none are kept.
    private var keptGeneration: Int? = 0

    /// The most exchanges that are kept; a power of two.
    ///
    /// Each further request at the same time allocates one.
    private static let limit = 512

    /// The oldest unused exchange; nil if a new one must be made.
    mutating func take(in turn: UInt64) -> Exchange? {
        guard count > 0, ring[first]?.turn != turn else { return nil }
        let taken = ring[first].take()
        first = (first + 1) & (Self.limit - 1)
        count -= 1
        return taken?.exchange
    }

    mutating func giveBack(_ exchange: Exchange, in turn: UInt64) {
        guard exchange.generation == keptGeneration, count < Self.limit else { return }
        ring[(first + count) & (Self.limit - 1)] = Spare(exchange: exchange, turn: turn)
        count += 1
    }

    /// Keeps only exchanges that are made from now on.
    ///
    /// - Returns: What was kept so far, to be released when this value is no longer accessed.
    mutating func renew() -> SpareExchanges {
        var old = SpareExchanges()
        old.generation = generation + 1
        old.keptGeneration = keptGeneration.map { _ in old.generation }
        swap(&old, &self)
        return old
    }

    /// Releases all exchanges, each of which holds the worker, and keeps none from now on.
    mutating func retire() {
        keptGeneration = nil
        ring = ring.map { _ in nil }
        count = 0
    }
}
