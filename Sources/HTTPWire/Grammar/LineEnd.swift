/// CR LF, the only accepted end of a line; a bare CR or LF ends the line for some parsers and not for others.
enum LineEnd {
    /// The offset after the CR LF that must begin here; nil if the bytes end before it is complete.
    @inline(__always)
    static func skip(_ bytes: Span<UInt8>, at index: Int, upTo end: Int) throws(MessageError) -> Int? {
        guard index < end else { return nil }
        guard bytes[index] == ASCII.carriageReturn else { throw fault(bytes[index], else: .bareCarriageReturn) }
        guard index &+ 1 < end else { return nil }
        guard bytes[index &+ 1] == ASCII.lineFeed else { throw .bareCarriageReturn }
        return index &+ 2
    }

    /// The error for a byte that is not allowed at its position.
    static func fault(_ byte: UInt8, else error: MessageError) -> MessageError {
        byte == ASCII.lineFeed ? .bareLineFeed : error
    }
}
