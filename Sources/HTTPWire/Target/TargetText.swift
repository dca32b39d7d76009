extension OutputBuffer {
    /// Appends a target without its query, as the inside of a JSON string.
    ///
    /// A refused request need not be UTF-8, so each byte that is not printable ASCII becomes a question mark.
    package mutating func append(targetForLog bytes: Span<UInt8>, _ target: ByteRange) {
        var index = bytes.endOfPlainTarget(from: target.lowerBound, to: target.upperBound)
        append(copying: bytes, ByteRange(target.lowerBound, index))
        while index < target.upperBound {
            let byte = bytes[index]
            if byte == UInt8(ascii: "?") { return }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
            append((0x20..<0x7f).contains(byte) ? byte : UInt8(ascii: "?"))
            index &+= 1
        }
    }
}
