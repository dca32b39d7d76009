/// A worker's unused exchanges, in the order in which they ended.
///
/// One that ends serves another request in a later turn of the loop at the earliest, when none of its methods is on the
/// stack any more.
struct SpareExchanges: ~Copyable {
    private struct Spare {
        let exchange: Exchange
        /// The turn in which it ended.
        let turn: UInt64
    }

    /// A ring: `count` elements from `first` on.
    private var ring = [Spare?](repeating: nil, count: Self.limit)
    private var first = 0
    private var count = 0
    private var isRetired = false

    /// The largest number that is kept after a burst; a power of two.
    private static let limit = 256

    /// Nil where a new one must be made.
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

    /// Releases all, which hold their worker, and keeps none from now on.
    mutating func retire() {
        isRetired = true
        ring = ring.map { _ in nil }
        count = 0
    }
}
