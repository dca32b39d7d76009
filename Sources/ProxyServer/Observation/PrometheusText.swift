import EventTransport

/// Writes samples in the text format of Prometheus (exposition format 0.0.4).
struct PrometheusText {
    private(set) var text = ""

    /// Begins a metric family; its samples follow before another family begins.
    mutating func family(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

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

    /// Writes the text and a line break to standard output.
    package static func write(_ text: String) { StandardStream.output.write(Array("\(text)\n".utf8)) }
}
