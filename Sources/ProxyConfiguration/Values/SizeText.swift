/// Sizes: `64KiB`, `1MiB`, `1GiB` or a number of bytes.
enum SizeText {
    private static let units: [(suffix: String, bytes: Int)] = [
        ("", 1), ("B", 1), ("KiB", 1024), ("MiB", 1024 * 1024), ("GiB", 1024 * 1024 * 1024),
    ]

    static func parse(_ text: String) throws(ValueError) -> Int {
        let digits = text.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let suffix = text.utf8.dropFirst(digits.count)
        guard let unit = units.first(where: { $0.suffix.utf8.elementsEqual(suffix) }), !digits.isEmpty else {
            throw ValueError("is not a size; write a whole number of bytes, or with a unit as in 64KiB or 1MiB")
        }
        guard let count = Int(Substring(digits)) else { throw ValueError("is too large; write a smaller number") }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: unit.bytes)
        guard !overflow else { throw ValueError("is too large; write a smaller number") }
        return bytes
    }

    static func format(_ bytes: Int) -> String {
        let unit = units.last { bytes >= $0.bytes && bytes % $0.bytes == 0 }
        guard let unit, unit.bytes > 1 else { return "\(bytes)" }
        return "\(bytes / unit.bytes)\(unit.suffix)"
    }
}

/// Durations: `250ms`, `10s`, `5m`, `1h`.
enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000),
    ]

    static func parse(_ text: String) throws(ValueError) -> Duration {
        let digits = text.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let suffix = text.utf8.dropFirst(digits.count)
        guard let unit = units.first(where: { $0.suffix.utf8.elementsEqual(suffix) }), !digits.isEmpty else {
            throw ValueError("is not a duration; write a whole number and a unit, as in 250ms, 10s, 5m or 1h")
        }
        let milliseconds = Int64(Substring(digits))?.multipliedReportingOverflow(by: unit.milliseconds)
        guard let milliseconds, !milliseconds.overflow else {
            throw ValueError("is too long; write a smaller number")
        }
        return .milliseconds(milliseconds.partialValue)
    }

    /// The duration in the largest unit that gives a whole number.
    static func format(_ duration: Duration) -> String {
        let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
        let unit = units.last { milliseconds >= $0.milliseconds && milliseconds % $0.milliseconds == 0 }
        guard let unit else { return "\(milliseconds / 1000)s" }
        return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
    }
}
