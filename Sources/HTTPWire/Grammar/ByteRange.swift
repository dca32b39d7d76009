/// A stretch of the bytes that were parsed, by offset from their beginning.
///
/// It is only an address: whoever keeps a range must keep the very bytes that it was made for. Offsets fit 32 bits,
/// because no head is longer than `HeadLimits` allows (1 MiB).
@usableFromInline package struct ByteRange: Equatable, Hashable, Sendable, BitwiseCopyable {
    @usableFromInline let lower: Int32
    @usableFromInline let upper: Int32

    @inlinable package init(_ lower: Int, _ upper: Int) {
        precondition(0 <= lower && lower <= upper, "a byte range begins at or after zero and not after its end")
        self.lower = Int32(lower)
        self.upper = Int32(upper)
    }

    @inlinable package var lowerBound: Int { Int(lower) }
    @inlinable package var upperBound: Int { Int(upper) }
    @inlinable package var count: Int { Int(upper) - Int(lower) }
    @inlinable package var isEmpty: Bool { lower == upper }

    /// The range as far behind as `offset` says, or before where that is negative.
    @inlinable package func moved(by offset: Int) -> ByteRange {
        ByteRange(lowerBound &+ offset, upperBound &+ offset)
    }
}
