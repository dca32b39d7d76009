/// What a chart shows of a histogram.
extension Histogram {
    /// The number of durations.
    var count: UInt64 { counts.reduce(0, +) }

    /// The mean in nanoseconds; nil without a duration.
    var mean: Double? {
        let count = count
        return count > 0 ? Double(sumNanoseconds) / Double(count) : nil
    }

    /// The duration in nanoseconds that a share of all durations does not exceed, estimated as Prometheus does: evenly
    /// spread within a bucket; nil without a duration.
    ///
    /// The last bucket has no end, so the estimate is at most 10 s.
    func quantile(_ share: Double) -> Double? {
        let counts = counts
        let wanted = share * Double(counts.reduce(0, +))
        var below = 0.0
        var start = 0.0
        for (index, count) in counts.enumerated() where wanted > 0 {
            guard index < Self.limitNanoseconds.count else { return start }
            let end = Self.limitNanoseconds[index]
            if count > 0, below + Double(count) >= wanted {
                return start + (end - start) * (wanted - below) / Double(count)
            }
            below += Double(count)
            start = end
        }
        return nil
    }

    private static let limitNanoseconds = bounds.map { (Double($0) ?? 0) * 1_000_000_000 }
}
