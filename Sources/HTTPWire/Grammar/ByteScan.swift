/// Finds the first byte of a kind, eight bytes at a time.
///
/// Each test marks the high bit of the matching bytes. The borrow of a subtraction can mark a wrong byte only after a
/// right one, so the lowest mark is always right.
enum ByteScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// The offset of the first byte from `start` that is not allowed in a token, or `end`.
    ///
    /// Letters, digits and "-", of which most names consist, are tested eight at a time.
    @inline(__always)
    static func endOfToken(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while end &- index >= 8 {
            let marks = unusualInTokens(bytes.word(at: index))
            guard marks == 0 else {
                index &+= marks.trailingZeroBitCount &>> 3
                if !ASCII.isToken(bytes[index]) { return index }
                index &+= 1
                continue
            }
            index &+= 8
        }
        while index < end, ASCII.isToken(bytes[index]) { index &+= 1 }
        return index
    }

    /// Marks bytes that are not a letter, digit or "-".
    @inline(__always)
    private static func unusualInTokens(_ word: UInt64) -> UInt64 {
        // Without their high bits, so that no addition carries into the next byte.
        let low = word & ~highBits
        let letters = between(UInt8(ascii: "a"), UInt8(ascii: "z"), low | (ones &* 0x20))
        let digits = between(UInt8(ascii: "0"), UInt8(ascii: "9"), low)
        let dashes = between(UInt8(ascii: "-"), UInt8(ascii: "-"), low)
        return (~(letters | digits | dashes) | word) & highBits
    }

    /// Sets the high bit of the bytes in a range, all of them below 0x80.
    @inline(__always)
    private static func between(_ first: UInt8, _ last: UInt8, _ word: UInt64) -> UInt64 {
        (word &+ ones &* UInt64(0x80 - first)) & ~(word &+ ones &* UInt64(0x7F - last))
    }
}

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

/// CR LF, the only accepted end of a line; a bare CR or LF ends the line for some parsers and not for others.
enum LineEnd {
    /// The offset after the CR LF that must begin here; nil if the bytes end before it is complete.
    @inline(__always)
    static func skip(_ bytes: Span<UInt8>, at index: Int, upTo end: Int) throws(MessageError) -> Int? {
        guard index < end else { return nil }
        guard bytes[index] == ASCII.carriageReturn else { throw fault(bytes[index], else: .bareCarriageReturn) }
        guard index &+ 1 < end else { return nil }
        guard bytes[index &+ 1] == ASCII.lineFeed else { throw .bareCarriageReturn }
        return index &+ 2
    }

    /// The error for a byte that is not allowed at its position.
    static func fault(_ byte: UInt8, else error: MessageError) -> MessageError {
        byte == ASCII.lineFeed ? .bareLineFeed : error
    }
}
