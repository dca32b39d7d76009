/// The text format of the metrics page, which the request chooses by `Accept`.
enum MetricsFormat: Equatable {
    case prometheus
    case openMetrics

    /// OpenMetrics if `Accept` names it and does not prefer plain text (RFC 9110 section 12.5.1).
    init(accept: String?) {
        var openMetrics = 0.0
        var plain = 0.0
        for item in (accept ?? "").lowercased().split(separator: ",") {
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            switch parts.first {
            case "application/openmetrics-text":
                // A client that reads another version only gets the older format.
                let version = parts.dropFirst().first { $0.hasPrefix("version=") }?.dropFirst(8)
                if version ?? "1.0.0" == "1.0.0" { openMetrics = max(openMetrics, weight) }
            case "text/plain": plain = max(plain, weight)
            default: break
            }
        }
        self = openMetrics > 0 && openMetrics >= plain ? .openMetrics : .prometheus
    }

    var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }
}
