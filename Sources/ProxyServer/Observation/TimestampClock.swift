import FoundationEssentials
import HTTPWire

/// Wall-clock time as text (RFC 3339, UTC, milliseconds); computes date and time once a second.
struct TimestampClock {
    private var second = Int64.min
    private var seconds: [UInt8] = []

    mutating func append(to out: inout OutputBuffer) {
        let now = Date().timeIntervalSince1970
        let whole = Int64(now.rounded(.down))
        if whole != second {
            second = whole
            seconds = Self.text(of: whole)
        }
        out.append(copying: seconds.span)
        let milliseconds = min(999, max(0, Int((now - Double(whole)) * 1000)))
        out.append(UInt8(ascii: "."))
        out.append(UInt8(ascii: "0") + UInt8(milliseconds / 100))
        out.append(UInt8(ascii: "0") + UInt8(milliseconds / 10 % 10))
        out.append(UInt8(ascii: "0") + UInt8(milliseconds % 10))
        out.append(UInt8(ascii: "Z"))
    }

    /// The current time.
    var text: String {
        mutating get {
            var out = OutputBuffer()
            append(to: &out)
            return out.withSpan { bytes in
                var copy: [UInt8] = []
                copy.append(copying: bytes)
                return String(decoding: copy, as: UTF8.self)
            }
        }
    }

    /// A time in seconds since 1970 as text (RFC 3339, UTC); nil beyond the year 9999.
    static func text(ofSecond second: Double) -> String? {
        guard second >= 0, second < 253_402_300_800 else { return nil }
        return String(decoding: text(of: Int64(second)), as: UTF8.self) + "Z"
    }

    private static func text(of second: Int64) -> [UInt8] {
        let date = Date(timeIntervalSince1970: Double(second))
        return Array(Date.ISO8601FormatStyle().format(date).utf8.dropLast())
    }
}
