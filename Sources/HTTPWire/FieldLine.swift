/// One field line of a head: a valid token as its name and a value without control bytes (RFC 9112 section 5).
package struct FieldLine: Sendable, BitwiseCopyable {
    package let name: ByteRange
    /// Without the white space around it; may be empty.
    package let value: ByteRange
    package let known: FieldName

    package init(name: ByteRange, value: ByteRange, known: FieldName) {
        self.name = name
        self.value = value
        self.known = known
    }
}
