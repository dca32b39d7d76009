/// Collects neighbouring canonical lines and copies them with one call.
@usableFromInline package struct FieldRun {
    @usableFromInline var lines = ByteRange(0, 0)

    @inlinable package init() {}

    /// Appends a line, now or together with those that follow it.
    @inlinable @inline(__always)
    package mutating func append(_ line: FieldLine, of bytes: Span<UInt8>, to out: inout OutputBuffer) {
        guard line.isCanonical else {
            end(in: bytes, to: &out)
            out.append(line, of: bytes)
            return
        }
        let whole = line.whole
        if whole.lowerBound != lines.upperBound {
            end(in: bytes, to: &out)
            lines = whole
        } else {
            lines = ByteRange(lines.lowerBound, whole.upperBound)
        }
    }

    /// Appends the remaining lines; needed after the last line, and before anything else is written.
    @inlinable
    package mutating func end(in bytes: Span<UInt8>, to out: inout OutputBuffer) {
        if !lines.isEmpty { out.append(copying: bytes, lines) }
        lines = ByteRange(0, 0)
    }
}
