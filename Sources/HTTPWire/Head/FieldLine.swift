/// One field line of a head: a valid token as its name and a value without control bytes (RFC 9112 section 5).
@usableFromInline package struct FieldLine: Sendable, BitwiseCopyable {
    @usableFromInline package let name: ByteRange
    /// Without the surrounding white space; may be empty.
    @usableFromInline package let value: ByteRange
    @usableFromInline package let known: FieldName
    /// Whether the line arrived exactly as the proxy writes it: one space after the colon and none before CR LF.
    @usableFromInline package let isCanonical: Bool

    @inlinable package init(name: ByteRange, value: ByteRange, known: FieldName, isCanonical: Bool) {
        self.name = name
        self.value = value
        self.known = known
        self.isCanonical = isCanonical
    }

    /// A canonical line from its name to the end of its CR LF.
    @inlinable package var whole: ByteRange {
        precondition(isCanonical, "only a canonical line is copied whole")
        return ByteRange(name.lowerBound, value.upperBound &+ 2)
    }

    /// The line with its ranges moved by `offset`, backwards if that is negative.
    @inline(__always)
    func moved(by offset: Int) -> FieldLine {
        FieldLine(name: name.moved(by: offset), value: value.moved(by: offset), known: known, isCanonical: isCanonical)
    }
}
