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
