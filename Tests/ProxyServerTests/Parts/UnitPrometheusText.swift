/// Metrics in the text format of Prometheus, read strictly: every sample belongs to a family declared before it, no
/// sample is there twice, the samples of a family stand together, a histogram's buckets grow up to `+Inf`, which is its
/// count, and each line ends with a line feed.
struct UnitPrometheusText {
    struct Sample: Equatable {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    struct Fault: Error {
        let line: String
    }

    private(set) var types: [String: String] = [:]
    private(set) var samples: [Sample] = []

    init(_ text: String) throws {
        var helped: Set<String> = []
        var current: String?
        // Scalar by scalar: a CR LF is one Character, and no reader of this format would see it so.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.last?.isEmpty == true else { throw Fault(line: "the last line has no end") }
        for line in lines.dropLast() {
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map { String($0) }
            if words.first == "#" {
                guard words.count == 4, !words[3].isEmpty else { throw Fault(line: String(line)) }
                switch words[1] {
                case "HELP": guard helped.insert(words[2]).inserted else { throw Fault(line: String(line)) }
                case "TYPE":
                    guard helped.contains(words[2]), types.updateValue(words[3], forKey: words[2]) == nil,
                        ["counter", "gauge", "histogram"].contains(words[3])
                    else { throw Fault(line: String(line)) }
                    current = words[2]
                default: throw Fault(line: String(line))
                }
                continue
            }
            guard let sample = Self.sample(line), let family = current, sample.belongs(to: family),
                types[family] == "histogram" || family == sample.name,
                !samples.contains(where: { $0.name == sample.name && $0.labels == sample.labels })
            else { throw Fault(line: String(line)) }
            samples.append(sample)
        }
        for (name, type) in types where type == "histogram" { try checkHistograms(name) }
    }

    private func checkHistograms(_ name: String) throws {
        var series: [[String: String]: [Sample]] = [:]
        for sample in samples where sample.name == "\(name)_bucket" {
            series[sample.labels.filter { $0.key != "le" }, default: []].append(sample)
        }
        for (labels, buckets) in series {
            let bounds = buckets.compactMap { $0.labels["le"] }.compactMap { $0 == "+Inf" ? .infinity : Double($0) }
            let counts = buckets.map(\.value)
            guard bounds.count == buckets.count, bounds == bounds.sorted(), bounds.last == .infinity,
                counts == counts.sorted(), counts.last == value("\(name)_count", labels),
                value("\(name)_sum", labels) != nil
            else { throw Fault(line: "\(name) \(labels)") }
        }
        guard samples.count(where: { $0.name == "\(name)_count" }) == series.count else { throw Fault(line: name) }
    }

    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }

    private static func sample(_ line: Substring.UnicodeScalarView) -> Sample? {
        var rest = line
        guard let name = name(&rest) else { return nil }
        var labels: [String: String] = [:]
        if rest.first == "{" {
            repeat {
                rest.removeFirst()
                guard let label = Self.name(&rest), rest.popFirst() == "=", let value = quoted(&rest),
                    labels.updateValue(value, forKey: label) == nil
                else { return nil }
            } while rest.first == ","
            guard rest.popFirst() == "}" else { return nil }
        }
        guard rest.popFirst() == " ", let value = Double(String(rest)) else { return nil }
        return Sample(name: name, labels: labels, value: value)
    }

    private static func name(_ rest: inout Substring.UnicodeScalarView) -> String? {
        let name = rest.prefix { $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "_") }
        guard let first = name.first, !("0"..."9").contains(first) else { return nil }
        rest = rest.dropFirst(name.count)
        return String(name)
    }

    private static func quoted(_ rest: inout Substring.UnicodeScalarView) -> String? {
        guard rest.popFirst() == "\"" else { return nil }
        var out = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return String(out)
            case "\\":
                switch rest.popFirst() {
                case "n": out.append("\n")
                case "\"": out.append("\"")
                case "\\": out.append("\\")
                default: return nil
                }
            default: out.append(scalar)
            }
        }
        return nil
    }
}

extension UnitPrometheusText.Sample {
    fileprivate func belongs(to family: String) -> Bool {
        name == family || ["_bucket", "_sum", "_count"].contains { name == family + $0 }
    }
}
