/// A histogram of durations with the default buckets of Prometheus' clients, the first of which ends at 1 ms.
///
/// Allocates nothing.
struct Histogram: Sendable {
    /// The upper bounds in seconds, as the metrics page writes them.
    static let bounds = [
        "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10",
    ]
    private static let limits: InlineArray<13, Int64> = [
        1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000, 500_000_000,
        1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
    ]

    private var slots = InlineArray<14, UInt64>(repeating: 0)
    private(set) var sumNanoseconds: UInt64 = 0

    /// The count of each bucket, not cumulative; the last one is for all longer durations.
    var counts: [UInt64] { slots.indices.map { slots[$0] } }

    /// - Parameter value: in nanoseconds.
    mutating func observe(_ value: Int64) {
        sumNanoseconds &+= UInt64(max(0, value))
        var index = 0
        while index < 13, value > Self.limits[index] { index += 1 }
        slots[index] += 1
    }

    mutating func add(_ other: Histogram) {
        for index in slots.indices { slots[index] += other.slots[index] }
        sumNanoseconds &+= other.sumNanoseconds
    }
}
