/// The byte classes and comparisons of HTTP's grammar (RFC 9110 section 5.6).
@usableFromInline package enum ASCII {
    package static let tab: UInt8 = 0x09
    package static let lineFeed: UInt8 = 0x0A
    package static let carriageReturn: UInt8 = 0x0D
    package static let space: UInt8 = 0x20
    static let delete: UInt8 = 0x7F

    // One bit for each byte, 0x00...0x3F and 0x40...0x7F: tchar is any visible character except "(),/:;<=>?@[\]{} and
    // the quote.
    private static let tokenLow: UInt64 = 0x03FF_6CFA_0000_0000
    private static let tokenHigh: UInt64 = 0x57FF_FFFF_C7FF_FFFE

    @inline(__always)
    package static func isToken(_ byte: UInt8) -> Bool {
        let half = byte & 0x40 == 0 ? tokenLow : tokenHigh
        return byte < 0x80 && (half &>> UInt64(byte & 0x3F)) & 1 == 1
    }

    /// HTAB, SP, VCHAR and obs-text: the bytes allowed in a field value or a reason (RFC 9110 section 5.5).
    @inline(__always)
    package static func isFieldContent(_ byte: UInt8) -> Bool {
        (byte >= space && byte != delete) || byte == tab
    }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inline(__always)
    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    @inline(__always)
    static func isWhitespace(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    /// The value of a hexadecimal digit; nil for another byte.
    @inline(__always)
    static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// The byte, or the lower-case letter if it is an upper-case one.
    @inlinable @inline(__always)
    package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Whether the range holds one token, of at least one byte.
    package static func isToken(_ bytes: Span<UInt8>, _ range: ByteRange) -> Bool {
        !range.isEmpty
            && ByteScan.endOfToken(bytes, from: range.lowerBound, to: range.upperBound) == range.upperBound
    }

    package static func equals(_ bytes: Span<UInt8>, _ range: ByteRange, _ text: String) -> Bool {
        guard range.count == text.utf8.count else { return false }
        let expected = text.utf8.span
        for index in 0..<expected.count where bytes[range.lowerBound + index] != expected[index] { return false }
        return true
    }

    package static func equals(_ bytes: Span<UInt8>, _ range: ByteRange, _ text: [UInt8]) -> Bool {
        guard range.count == text.count else { return false }
        for index in text.indices where bytes[range.lowerBound + index] != text[index] { return false }
        return true
    }

    package static func equalsIgnoringCase(_ bytes: Span<UInt8>, _ range: ByteRange, _ text: String) -> Bool {
        range.count == text.utf8.count && equalsIgnoringCase(bytes, range, text.utf8.span)
    }

    package static func equalsIgnoringCase(_ bytes: Span<UInt8>, _ range: ByteRange, _ text: [UInt8]) -> Bool {
        equalsIgnoringCase(bytes, range, text.span)
    }

    package static func equalsIgnoringCase(_ bytes: Span<UInt8>, _ range: ByteRange, _ other: Span<UInt8>) -> Bool {
        guard range.count == other.count else { return false }
        let lower = range.lowerBound
        for index in 0..<other.count where lowercased(bytes[lower + index]) != lowercased(other[index]) {
            return false
        }
        return true
    }

    /// Whether a token with the name's length is this name of at least four lower-case letters, digits and "-"; case
    /// does not matter.
    ///
    /// The comparison sets bit 0x20, in which the cases differ; that turns no other byte of a token into a byte of
    /// such a name. The last word overlaps the one before it.
    @inline(__always)
    static func isName(_ bytes: Span<UInt8>, at lower: Int, _ name: StaticString) -> Bool {
        let count = name.utf8CodeUnitCount
        if count < 8 {
            let caseBits: UInt32 = 0x2020_2020
            let last = count &- 4
            return (bytes.half(at: lower) | caseBits) == name.half(at: 0)
                && (bytes.half(at: lower &+ last) | caseBits) == name.half(at: last)
        }
        let caseBits: UInt64 = 0x2020_2020_2020_2020
        let last = count &- 8
        return (bytes.word(at: lower) | caseBits) == name.word(at: 0)
            && (count <= 16 || (bytes.word(at: lower &+ 8) | caseBits) == name.word(at: 8))
            && (count <= 24 || (bytes.word(at: lower &+ 16) | caseBits) == name.word(at: 16))
            && (bytes.word(at: lower &+ last) | caseBits) == name.word(at: last)
    }

    /// Whether two ranges of the same bytes hold the same text; case does not matter.
    package static func equalsIgnoringCase(_ bytes: Span<UInt8>, _ range: ByteRange, _ other: ByteRange) -> Bool {
        guard range.count == other.count else { return false }
        for index in 0..<range.count
        where lowercased(bytes[range.lowerBound + index]) != lowercased(bytes[other.lowerBound + index]) {
            return false
        }
        return true
    }

    /// Whether two field names are the same variable for a CGI program, which reads "-" as "_" (RFC 3875 section
    /// 4.1.18).
    package static func isSameVariable(_ bytes: Span<UInt8>, _ range: ByteRange, _ name: [UInt8]) -> Bool {
        guard range.count == name.count else { return false }
        for index in 0..<name.count {
            guard variable(bytes[range.lowerBound + index]) == variable(name[index]) else { return false }
        }
        return true
    }

    private static func variable(_ byte: UInt8) -> UInt8 {
        byte == UInt8(ascii: "-") ? UInt8(ascii: "_") : lowercased(byte)
    }

    /// Whether two texts are the same bytes.
    package static func equals(_ bytes: Span<UInt8>, _ other: [UInt8]) -> Bool { bytes.isEqual(to: other.span) }

    /// The range without spaces and tabs at either end.
    package static func trimmingWhitespace(_ bytes: Span<UInt8>, _ range: ByteRange) -> ByteRange {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, isWhitespace(bytes[lower]) { lower += 1 }
        while lower < upper, isWhitespace(bytes[upper - 1]) { upper -= 1 }
        return ByteRange(lower, upper)
    }
}

/// Walks the elements of a comma-separated field value, empty ones included (RFC 9110 section 5.6.1).
package struct TokenList {
    private var next: Int
    private let end: Int

    package init(_ value: ByteRange) {
        next = value.lowerBound
        end = value.upperBound
    }

    /// The next element without the white space around it; nil at the end.
    package mutating func next(in bytes: Span<UInt8>) -> ByteRange? {
        guard next <= end else { return nil }
        var comma = next
        while comma < end, bytes[comma] != UInt8(ascii: ",") { comma += 1 }
        let element = ByteRange(next, comma)
        next = comma + 1
        return ASCII.trimmingWhitespace(bytes, element)
    }
}
