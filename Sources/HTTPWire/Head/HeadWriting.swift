extension OutputBuffer {
    /// Appends the field line in canonical form: its name, a colon, one space, its value, CR LF.
    @usableFromInline package mutating func append(_ line: FieldLine, of bytes: Span<UInt8>) {
        if line.isCanonical {
            // One copy costs less than four.
            append(copying: bytes, line.whole)
        } else {
            append(copying: bytes, line.name)
            append(text: ": ")
            append(copying: bytes, line.value)
            appendCRLF()
        }
    }

    /// Appends CR LF.
    @inlinable @inline(__always) package mutating func appendCRLF() { append(text: "\r\n") }

    /// Appends the number in decimal digits.
    @inlinable
    package mutating func append(decimal number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        append(decimal: UInt64(number.magnitude))
    }

    /// Appends a non-negative number in lower-case hexadecimal digits, as in a chunk size.
    package mutating func append(hexadecimal number: Int) {
        precondition(number >= 0, "a chunk size is not negative")
        var digits = [16 of UInt8](repeating: 0)
        var first = 16
        var rest = number
        repeat {
            first -= 1
            let digit = UInt8(truncatingIfNeeded: rest & 0xF)
            digits[first] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            rest >>= 4
        } while rest > 0
        append(copying: digits.span.extracting(first..<16))
    }
}
