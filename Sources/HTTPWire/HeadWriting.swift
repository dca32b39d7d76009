extension OutputBuffer {
    /// Appends the field line anew: its name, a colon, one space, its value, CR LF.
    package mutating func append(_ line: FieldLine, of bytes: Span<UInt8>) {
        let colon = line.name.upperBound
        let isCanonical =
            line.value.lowerBound == colon + 2 && bytes[colon] == UInt8(ascii: ":") && bytes[colon + 1] == ASCII.space
        if isCanonical {
            // The line came just as it is written here, and one copy is cheaper than three.
            append(copying: bytes, ByteRange(line.name.lowerBound, line.value.upperBound))
        } else {
            append(copying: bytes, line.name)
            append(text: ": ")
            append(copying: bytes, line.value)
        }
        appendCRLF()
    }

    /// Appends CR LF.
    package mutating func appendCRLF() {
        append(ASCII.carriageReturn)
        append(ASCII.lineFeed)
    }

    /// Appends the number in decimal digits.
    package mutating func append(decimal number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        append(decimal: UInt64(number.magnitude))
    }

    /// Appends the number in decimal digits.
    package mutating func append(decimal number: UInt64) {
        // 20 digits are enough for UInt64.max.
        var digits = [20 of UInt8](repeating: 0)
        var first = 20
        var rest = number
        repeat {
            first -= 1
            digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        append(copying: digits.span.extracting(first..<20))
    }

    /// Appends a number that is not negative in lower-case hexadecimal digits, as a chunk size is written.
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
