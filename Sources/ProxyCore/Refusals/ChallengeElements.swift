import HTTPWire

/// Walks the comma-separated elements of a `WWW-Authenticate` value: a comma in a quoted string separates nothing.
struct ChallengeElements {
    private var next: Int
    private let end: Int

    init(_ value: ByteRange) {
        next = value.lowerBound
        end = value.upperBound
    }

    /// The next element that is not empty; nil at the end.
    mutating func next(in bytes: Span<UInt8>) -> ByteRange? {
        while next < end {
            let start = next
            var isQuoted = false
            while next < end, isQuoted || bytes[next] != UInt8(ascii: ",") {
                if bytes[next] == UInt8(ascii: "\"") { isQuoted.toggle() }
                if isQuoted, bytes[next] == UInt8(ascii: "\\") { next += 1 }
                next += 1
            }
            let stop = min(next, end)
            next = stop + 1
            let element = ASCII.trimmingWhitespace(bytes, ByteRange(start, stop))
            if !element.isEmpty { return element }
        }
        return nil
    }
}

/// One `name=value` of a challenge; `value` excludes the quotes of a quoted string.
struct ChallengeParameter {
    let name: ByteRange
    let value: ByteRange

    /// The parameter in `range`; nil if the range holds something else, such as a scheme or a token68.
    init?(_ range: ByteRange, in bytes: Span<UInt8>) {
        let range = ASCII.trimmingWhitespace(bytes, range)
        name = Self.token(at: range.lowerBound, before: range.upperBound, in: bytes)
        let rest = ASCII.trimmingWhitespace(bytes, ByteRange(name.upperBound, range.upperBound))
        guard !name.isEmpty, !rest.isEmpty, bytes[rest.lowerBound] == UInt8(ascii: "=") else { return nil }
        let text = ASCII.trimmingWhitespace(bytes, ByteRange(rest.lowerBound + 1, rest.upperBound))
        let quote = UInt8(ascii: "\"")
        if text.count >= 2, bytes[text.lowerBound] == quote, bytes[text.upperBound - 1] == quote {
            value = ByteRange(text.lowerBound + 1, text.upperBound - 1)
        } else {
            guard ASCII.isToken(bytes, text) else { return nil }
            value = text
        }
    }

    /// Whether the value equals this text.
    ///
    /// In a quoted string, a backslash escapes the next byte (RFC 9110 section 5.6.4); a token has no escapes.
    func says(_ text: String, in bytes: Span<UInt8>) -> Bool {
        var index = value.lowerBound
        for byte in text.utf8 {
            if index < value.upperBound, bytes[index] == UInt8(ascii: "\\") { index += 1 }
            guard index < value.upperBound, bytes[index] == byte else { return false }
            index += 1
        }
        return index == value.upperBound
    }

    /// The token that begins at `start`; it may be empty.
    static func token(at start: Int, before end: Int, in bytes: Span<UInt8>) -> ByteRange {
        var index = start
        while index < end, ASCII.isToken(bytes[index]) { index += 1 }
        return ByteRange(start, index)
    }
}
