/// Numbers as the status page shows them: short, with their unit.
enum Figure {
    /// A duration in its largest units, such as `43 s`, `12 min` or `2 h 5 min`; at least zero.
    static func duration(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        switch seconds {
        case 0..<100: return "\(seconds) s"
        case 100..<6_000: return "\((seconds + 30) / 60) min"
        case 6_000..<172_800:
            let minutes = (seconds + 30) / 60
            return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
        default: return "\(seconds / 86_400) days"
        }
    }

    /// The time until something happens, such as `in 43 s`, or `now` in the last second.
    static func time(to instant: ContinuousClock.Instant, from now: ContinuousClock.Instant) -> String {
        instant - now < .seconds(1) ? "now" : "in \(duration(instant - now))"
    }

    /// A latency, such as `0.8 ms`, `42 ms` or `1.3 s`.
    static func latency(nanoseconds: Double) -> String {
        let milliseconds = nanoseconds / 1_000_000
        switch milliseconds {
        case ..<0.1: return "< 0.1 ms"
        case ..<10: return "\(decimal(milliseconds)) ms"
        case ..<1_000: return "\(Int(milliseconds.rounded())) ms"
        default: return "\(decimal(milliseconds / 1_000)) s"
        }
    }

    /// A rate, in a unit in which it is at least one.
    static func rate(_ count: UInt64, in seconds: Double) -> String {
        let rate = Double(count) / max(1, seconds)
        switch rate {
        case 0: return "0/s"
        case ..<1: return "\(Int(max(1, (rate * 60).rounded())))/min"
        case ..<10: return "\(decimal(rate))/s"
        default: return "\(grouped(UInt64(rate.rounded())))/s"
        }
    }

    /// A share of a whole, such as `0.3 %`; never 0 unless there is none.
    static func percent(_ part: UInt64, of whole: UInt64) -> String {
        guard part > 0, whole > 0 else { return "0 %" }
        let percent = Double(part) * 100 / Double(whole)
        if percent < 0.1 { return "< 0.1 %" }
        return percent < 10 ? "\(decimal(percent)) %" : "\(Int(percent.rounded())) %"
    }

    static func bytes(_ count: Int) -> String {
        count < 10_485_760 ? "\(decimal(Double(count) / 1_048_576)) MiB" : "\(count / 1_048_576) MiB"
    }

    /// A count with a space before each group of three digits.
    static func grouped(_ count: UInt64) -> String {
        let digits = Array(String(count))
        return digits.indices.reduce(into: "") { text, index in
            if index > 0, (digits.count - index) % 3 == 0 { text += "\u{202f}" }
            text.append(digits[index])
        }
    }

    /// `1 token`, `2 tokens`, or a plural of its own.
    static func count(_ number: some BinaryInteger, _ thing: String, _ things: String? = nil) -> String {
        "\(grouped(UInt64(number))) \(number == 1 ? thing : things ?? "\(thing)s")"
    }

    private static func decimal(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths % 10 == 0 && tenths >= 100 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
