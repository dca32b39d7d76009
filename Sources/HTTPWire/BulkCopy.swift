extension [UInt8] {
    /// Appends a copy of the bytes.
    package mutating func append(copying bytes: Span<UInt8>) {
        // SAFETY: the buffer is lent for the call only, and `append` copies from it before the call ends.
        unsafe bytes.withUnsafeBufferPointer { buffer in unsafe append(contentsOf: buffer) }
    }

    /// Appends a copy of one range of the bytes.
    package mutating func append(copying bytes: Span<UInt8>, _ range: ByteRange) {
        append(copying: bytes.extracting(range.lowerBound..<range.upperBound))
    }

    /// Appends the text's UTF-8 bytes.
    package mutating func append(text: StaticString) {
        // SAFETY: a static string's bytes live as long as the process, and `append` only copies them.
        text.withUTF8Buffer { buffer in unsafe append(contentsOf: buffer) }
    }
}
