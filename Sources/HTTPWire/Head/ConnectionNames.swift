/// The fields that a head's Connection fields name, to be dropped with them (RFC 9110 section 7.6.1).
///
/// Made once for each head, and only if its `connection` contains `namesFields`. It reads the Connection fields once,
/// so that a long one cannot slow down every other field. A head with more names than fit was already refused.
package struct ConnectionNames: Sendable {
    static let capacity = 32

    /// Empty for nearly every head, and then without memory.
    private var ranges: [ByteRange] = []

    /// Makes an empty list.
    package init() {}

    /// Reads the names from the bytes from which the fields were parsed.
    package init(_ bytes: Span<UInt8>, _ fields: FieldLines) {
        for index in 0..<fields.count where fields[index].known == .connection {
            var list = TokenList(fields[index].value)
            while ranges.count < Self.capacity, let element = list.next(in: bytes) {
                guard !element.isEmpty, ConnectionOptions(bytes, option: element) == .namesFields else { continue }
                ranges.append(element)
            }
        }
    }

    /// Whether the field of this name must be dropped.
    ///
    /// Hop-by-hop fields are not checked, because they are dropped anyway.
    package func names(_ field: ByteRange, in bytes: Span<UInt8>) -> Bool {
        for range in ranges where ASCII.equalsIgnoringCase(bytes, range, field) { return true }
        return false
    }
}
