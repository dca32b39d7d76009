package import HTTPWire

/// The place of a request in a trace: the value of the field `traceparent` (W3C Trace Context, section 3.2).
package struct TraceParent: Equatable, Sendable {
    /// The trace's identifier, the first half first; not all zero.
    package let traceID: TraceID
    /// The identifier of the sender's span; not zero.
    package let spanID: UInt64
    package let isSampled: Bool
    /// Whether the last seven bytes of the trace's identifier are random (level 2, section 3.2.2.5.2).
    package let isRandom: Bool

    package init(traceID: TraceID, spanID: UInt64, isSampled: Bool, isRandom: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
        self.isRandom = isRandom
    }

    private static let length = 55

    /// Reads a value in its one spelling; nil if it is invalid.
    ///
    /// A value of a higher version may go on after another `-`, and is read as one of version 00. The version ff is
    /// invalid.
    package init?(_ bytes: Span<UInt8>, _ value: ByteRange) {
        let start = value.lowerBound
        guard value.count >= Self.length else { return nil }
        for position in [2, 35, 52] where bytes[start + position] != UInt8(ascii: "-") { return nil }
        guard let version = Hexadecimal.number(bytes, ByteRange(start, start + 2)), version != 0xff,
            version == 0 ? value.count == Self.length : Self.mayEnd(bytes, value),
            let high = Hexadecimal.number(bytes, ByteRange(start + 3, start + 19)),
            let low = Hexadecimal.number(bytes, ByteRange(start + 19, start + 35)), high | low != 0,
            let span = Hexadecimal.number(bytes, ByteRange(start + 36, start + 52)), span != 0,
            let flags = Hexadecimal.number(bytes, ByteRange(start + 53, start + 55))
        else { return nil }
        self.init(
            traceID: TraceID(high: high, low: low), spanID: span, isSampled: flags & 1 != 0, isRandom: flags & 2 != 0)
    }

    private static func mayEnd(_ bytes: Span<UInt8>, _ value: ByteRange) -> Bool {
        value.count == length || bytes[value.lowerBound + length] == UInt8(ascii: "-")
    }

    /// Appends the value, in version 00.
    package func append(to out: inout OutputBuffer) {
        out.append(text: "00-")
        traceID.append(to: &out)
        out.append(text: "-")
        out.append(hexadecimal16: spanID)
        out.append(text: "-0")
        out.append(UInt8(ascii: "0") + (isSampled ? 1 : 0) + (isRandom ? 2 : 0))
    }
}

/// The identifier of a trace: 16 bytes, not all zero.
package struct TraceID: Equatable, Sendable {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Appends 32 hexadecimal digits in lower case.
    package func append(to out: inout OutputBuffer) {
        out.append(hexadecimal16: high)
        out.append(hexadecimal16: low)
    }
}

/// Numbers in lower-case hexadecimal digits.
enum Hexadecimal {
    /// The number with these digits; nil if one of the bytes is no digit in lower case.
    static func number(_ bytes: Span<UInt8>, _ range: ByteRange) -> UInt64? {
        var number: UInt64 = 0
        for index in range.lowerBound..<range.upperBound {
            let byte = bytes[index]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            number = number << 4 | UInt64(digit)
        }
        return number
    }
}

extension OutputBuffer {
    /// Appends 16 hexadecimal digits in lower case.
    package mutating func append(hexadecimal16 number: UInt64) {
        for shift in stride(from: UInt64(60), through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: number >> shift & 15)
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
