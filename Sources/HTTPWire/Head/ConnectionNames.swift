/// The fields that a head's Connection fields name, to be dropped with it (RFC 9110 section 7.6.1).
///
/// Made once a head, and only where its `connection` contains `namesFields`. It walks the Connection fields one time,
/// so a long one cannot make every other field expensive; a head with more names than it holds was already refused.
package struct ConnectionNames: Sendable {
    static let capacity = 32

    /// Empty for nearly every head, and then no memory is taken.
    private var ranges: [ByteRange] = []

    /// Names nothing.
    package init() {}

    /// The bytes are those from which the fields were parsed.
    package init(_ bytes: Span<UInt8>, _ fields: FieldLines) {
        for index in 0..<fields.count where fields[index].known == .connection {
            var list = TokenList(fields[index].value)
            while ranges.count < Self.capacity, let element = list.next(in: bytes) {
                guard !element.isEmpty, ConnectionOptions(bytes, option: element) == .namesFields else { continue }
                ranges.append(element)
            }
        }
    }

    /// Whether the field of this name is to be dropped.
    ///
    /// Hop-by-hop fields are not looked for: they go anyway.
    package func names(_ field: ByteRange, in bytes: Span<UInt8>) -> Bool {
        for range in ranges where ASCII.equalsIgnoringCase(bytes, range, field) { return true }
        return false
    }
}
