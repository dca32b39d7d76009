import EventTransport

/// Writes samples in the text format of Prometheus (exposition format 0.0.4) or as OpenMetrics 1.0.
struct PrometheusText {
    let format: MetricsFormat
    private(set) var text = ""

    init(_ format: MetricsFormat = .prometheus) { self.format = format }

    /// Begins a metric family; its samples follow before another family begins.
    ///
    /// The name of a counter ends with `_total`. OpenMetrics names its family without that, and tells the unit.
    mutating func family(_ name: String, _ type: String, _ help: String) {
        switch format {
        case .prometheus: text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
        case .openMetrics:
            let family = type == "counter" && name.hasSuffix("_total") ? String(name.dropLast(6)) : name
            text += "# HELP \(family) \(help)\n# TYPE \(family) \(type)\n"
            for unit in ["seconds", "bytes"] where family.hasSuffix("_\(unit)") { text += "# UNIT \(family) \(unit)\n" }
        }
    }

    /// The whole text, which ends here.
    var page: String { format == .openMetrics ? "\(text)# EOF\n" : text }

    /// Appends a sample; `labels` come from `label`, separated by commas, and `value` is the text of a number.
    mutating func sample(_ name: String, _ labels: String, _ value: some CustomStringConvertible) {
        text += name
        if !labels.isEmpty {
            text += "{"
            text += labels
            text += "}"
        }
        text += " "
        text += value.description
        text += "\n"
    }

    /// Appends the samples of a histogram: cumulative buckets, the sum in seconds, the count.
    mutating func histogram(_ name: String, _ labels: String, _ histogram: Histogram) {
        let separator = labels.isEmpty ? "" : ","
        var total: UInt64 = 0
        for (index, count) in histogram.counts.enumerated() {
            total += count
            let bound = index < Histogram.bounds.count ? Histogram.bounds[index] : "+Inf"
            sample("\(name)_bucket", "\(labels)\(separator)le=\"\(bound)\"", total)
        }
        sample("\(name)_sum", labels, Self.seconds(histogram.sumNanoseconds))
        sample("\(name)_count", labels, total)
    }

    /// One label, escaped.
    static func label(_ name: String, _ value: String) -> String { "\(name)=\"\(escaped(value))\"" }

    static func seconds(_ nanoseconds: UInt64) -> String {
        let fraction = "\(nanoseconds % 1_000_000_000)"
        return "\(nanoseconds / 1_000_000_000)." + String(repeating: "0", count: 9 - fraction.count) + fraction
    }

    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\"") || $0 == 0x0a }) else {
            return text
        }
        // By scalars: a quote with a combining mark is one Character in Swift, but must be escaped.
        return text.unicodeScalars.reduce(into: "") { out, scalar in
            switch scalar {
            case "\\": out += "\\\\"
            case "\"": out += "\\\""
            case "\n": out += "\\n"
            default: out.unicodeScalars.append(scalar)
            }
        }
    }
}

/// Writes plain sentences for the person at the terminal.
package enum PlainText {
    /// Opens `/dev/null` in place of closed standard streams; must be called first.
    package static func reserveStreams() { StandardStream.reserve() }

    /// Writes the text and a line break to standard error.
    package static func writeError(_ text: String) { StandardStream.error.write(Array("\(text)\n".utf8)) }

    /// Shows a text in place of the one before on the terminal's last line; nothing if the text is empty.
    package static func showProgress(_ text: String) { StandardStream.error.write(Array("\r\u{1b}[K\(text)".utf8)) }

    /// Writes the text and a line break to standard output.
    ///
    /// - Returns: Why the text was not written whole; nil if it was.
    @discardableResult
    package static func write(_ text: String) -> String? {
        StandardStream.output.write(Array("\(text)\n".utf8))?.message
    }
}
