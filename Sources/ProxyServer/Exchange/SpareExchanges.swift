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
    private var isRetired = false

    /// The most exchanges that are kept after a burst; a power of two.
    private static let limit = 256

    /// The oldest unused exchange; nil if a new one must be made.
    mutating func take(in turn: UInt64) -> Exchange? {
        guard count > 0, ring[first]?.turn != turn else { return nil }
        let taken = ring[first].take()
        first = (first + 1) & (Self.limit - 1)
        count -= 1
        return taken?.exchange
    }

    mutating func giveBack(_ exchange: Exchange, in turn: UInt64) {
        guard !isRetired, count < Self.limit else { return }
        ring[(first + count) & (Self.limit - 1)] = Spare(exchange: exchange, turn: turn)
        count += 1
    }

    /// Releases all exchanges, each of which holds the worker, and keeps none from now on.
    mutating func retire() {
        isRetired = true
        ring = ring.map { _ in nil }
        count = 0
    }
}
