/// A range of the parsed bytes, by offset from their beginning.
///
/// It is only an address: the holder of a range must keep the bytes that it was made for. Offsets fit 32 bits,
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

    /// The range moved by `offset`, backwards if that is negative.
    @inlinable package func moved(by offset: Int) -> ByteRange {
        ByteRange(lowerBound &+ offset, upperBound &+ offset)
    }
}
