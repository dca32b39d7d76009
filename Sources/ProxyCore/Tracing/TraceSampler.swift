/// Decides which requests are traced, and gives traces and spans their identifiers.
///
/// A request of a trace follows the trace's `sampled` flag. Of the others, a share is traced; the trace's identifier
/// decides by OpenTelemetry's consistent probability sampling, so that other samplers of the same share choose the same.
package struct TraceSampler: ~Copyable {
    /// A trace is sampled if the last 56 bits of its identifier, which are random, are at least this.
    private let threshold: UInt64
    private var numbers: RandomNumbers

    private static let randomBits: UInt64 = 56

    /// - Parameters:
    ///   - ratio: The share of the requests without a trace that are traced, from 0 to 1.
    ///   - seed: Two random numbers that no other sampler has.
    package init(ratio: Double, seed: (UInt64, UInt64)) {
        let whole = UInt64(1) << Self.randomBits
        threshold = ratio >= 1 ? 0 : whole - UInt64(max(0, ratio) * Double(whole))
        numbers = RandomNumbers(seed: seed)
    }

    /// Decides whether a request is traced.
    ///
    /// - Parameter parent: What the request says about its trace; nil if it has none or an invalid one.
    /// - Returns: The trace that the request belongs to, with the request's span; nil if it is not traced.
    package mutating func trace(continuing parent: TraceParent?) -> TraceParent? {
        if let parent {
            guard parent.isSampled else { return nil }
            return TraceParent(
                traceID: parent.traceID, spanID: spanID(), isSampled: true, isRandom: parent.isRandom)
        }
        guard threshold < 1 << Self.randomBits else { return nil }
        let id = TraceID(high: numbers.next(), low: numbers.next())
        guard id.low & (1 << Self.randomBits - 1) >= threshold, id.high | id.low != 0 else { return nil }
        return TraceParent(traceID: id, spanID: spanID(), isSampled: true, isRandom: true)
    }

    /// A new identifier of a span, which is not zero.
    package mutating func spanID() -> UInt64 {
        while true {
            let id = numbers.next()
            if id != 0 { return id }
        }
    }
}

/// Random numbers without secrecy, at the cost of a few instructions: xoroshiro128** of Blackman and Vigna.
private struct RandomNumbers {
    private var low: UInt64
    private var high: UInt64

    init(seed: (UInt64, UInt64)) {
        (low, high) = seed
        // The only state that never leaves itself.
        if low | high == 0 { low = 1 }
    }

    mutating func next() -> UInt64 {
        let result = rotated(low &* 5, 7) &* 9
        let mixed = high ^ low
        low = rotated(low, 24) ^ mixed ^ (mixed << 16)
        high = rotated(mixed, 37)
        return result
    }

    private func rotated(_ number: UInt64, _ count: UInt64) -> UInt64 { number << count | number >> (64 - count) }
}
