import HTTPWire

extension ExchangeRecord {
    /// Notes the method and target of a head that was refused or incomplete, without anything that could be a secret.
    ///
    /// Notes the method only if it is in capital letters. Notes the target without its query, and only if it is
    /// complete and contains no `@`, which a password may precede.
    mutating func note(refused bytes: Span<UInt8>) {
        var start = 0
        while start < bytes.count, start < 2, bytes[start] == ASCII.carriageReturn || bytes[start] == ASCII.lineFeed {
            start += 1
        }
        let methodEnd = Self.end(of: bytes, from: start) { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        guard methodEnd > start, methodEnd - start <= 20, methodEnd < bytes.count, bytes[methodEnd] == ASCII.space
        else {
            return
        }
        let targetStart = methodEnd + 1
        let targetEnd = Self.end(of: bytes, from: targetStart) { (0x21...0x7e).contains($0) }
        let isWhole = targetEnd < bytes.count && bytes[targetEnd] == ASCII.space
        var shownEnd = targetStart
        while shownEnd < targetEnd, bytes[shownEnd] != UInt8(ascii: "?"), bytes[shownEnd] != UInt8(ascii: "#") {
            shownEnd += 1
        }
        let target = bytes.extracting(targetStart..<shownEnd)
        let isShown = isWhole && target.indices.allSatisfy { target[$0] != UInt8(ascii: "@") }
        note(
            method: ByteRange(start, methodEnd), target: ByteRange(targetStart, isShown ? shownEnd : targetStart),
            in: bytes)
    }

    private static func end(of bytes: Span<UInt8>, from start: Int, _ isPart: (UInt8) -> Bool) -> Int {
        var index = start
        while index < bytes.count, isPart(bytes[index]) { index += 1 }
        return index
    }
}
