/// How many spans the collector took, and how many were dropped.
struct SpanCounts: Equatable, Sendable {
    var sent: UInt64 = 0
    var dropped: UInt64 = 0

    static func + (left: Self, right: Self) -> Self {
        SpanCounts(sent: left.sent + right.sent, dropped: left.dropped + right.dropped)
    }
}
