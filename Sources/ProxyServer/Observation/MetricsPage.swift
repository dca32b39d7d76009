import ProxyCore
import TokenManager

/// The metrics in the text format of Prometheus (exposition format 0.0.4).
struct MetricsPage {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    let metrics: Metrics
    let routes: [Route]
    let credentials: [CredentialStatus]
    let now: ContinuousClock.Instant

    var text: String {
        var out = ""
        requests(to: &out)
        durations(to: &out)
        connections(to: &out)
        descriptors(to: &out)
        tokens(to: &out)
        if credentials.contains(where: { $0.valueCount != nil }) { values(to: &out) }
        return out
    }

    private func requests(to out: inout String) {
        family("attache_requests_total", "counter", "Exchanges ended, by route and status code.", to: &out)
        for (row, codes) in metrics.requests.enumerated() {
            let route = row < routes.count ? routes[row].name : ""
            for (code, count) in codes.sorted(by: { $0.key < $1.key }) {
                out += "attache_requests_total{route=\"\(escaped(route))\",code=\"\(code)\"} \(count)\n"
            }
        }
    }

    private func durations(to out: inout String) {
        let name = "attache_request_duration_seconds"
        family(name, "histogram", "From the request's head to the response's end.", to: &out)
        var total: UInt64 = 0
        for (index, count) in metrics.durations.counts.enumerated() {
            total += count
            let bound = index < Histogram.bounds.count ? Histogram.bounds[index] : "+Inf"
            out += "\(name)_bucket{le=\"\(bound)\"} \(total)\n"
        }
        out += "\(name)_sum \(seconds(metrics.durations.sumNanoseconds))\n\(name)_count \(total)\n"
    }

    private func connections(to out: inout String) {
        family("attache_connections", "gauge", "Open connections, by side.", to: &out)
        out += "attache_connections{side=\"downstream\"} \(metrics.downstreamConnections)\n"
        out += "attache_connections{side=\"upstream\"} \(metrics.upstreamConnections)\n"
        family("attache_connections_accepted_total", "counter", "Connections of apps taken.", to: &out)
        out += "attache_connections_accepted_total \(metrics.acceptedConnections)\n"
        family("attache_connections_refused_total", "counter", "Connections of apps over the limit.", to: &out)
        out += "attache_connections_refused_total \(metrics.refusedConnections)\n"
        family(
            "attache_access_log_dropped_lines_total", "counter", "Lines that the log's reader did not take.", to: &out)
        out += "attache_access_log_dropped_lines_total \(metrics.droppedLogLines)\n"
    }

    private func descriptors(to out: inout String) {
        family(
            "attache_accept_pauses_total", "counter", "Times that connections of apps had to wait for descriptors.",
            to: &out)
        out += "attache_accept_pauses_total \(metrics.acceptPauses)\n"
        // The names that Prometheus' own clients give to these two.
        if let open = metrics.openDescriptors {
            family("process_open_fds", "gauge", "Number of open file descriptors.", to: &out)
            out += "process_open_fds \(open)\n"
        }
        if let limit = metrics.descriptorLimit {
            family("process_max_fds", "gauge", "Maximum number of open file descriptors.", to: &out)
            out += "process_max_fds \(limit)\n"
        }
    }

    private func tokens(to out: inout String) {
        family("attache_token_state", "gauge", "1 for the state that the credential is in.", to: &out)
        for status in credentials {
            for state in [CredentialStatus.State.empty, .fetching, .fresh, .refreshing, .failed] {
                let value = status.state == state ? 1 : 0
                out += "attache_token_state{\(label(status)),state=\"\(state.rawValue)\"} \(value)\n"
            }
        }
        family("attache_token_fetches_total", "counter", "Token requests ended, by result.", to: &out)
        for status in credentials {
            out += "attache_token_fetches_total{\(label(status)),result=\"success\"} \(status.succeeded)\n"
            out += "attache_token_fetches_total{\(label(status)),result=\"failure\"} \(status.failed)\n"
        }
        family(
            "attache_token_expiry_seconds", "gauge", "Until the token is used no more.",
            to: &out)
        for status in credentials where status.valueCount == nil && (status.expiresAt != nil || !status.isUsable) {
            let left = status.expiresAt.map { max(.zero, $0 - now) } ?? .zero
            let nanoseconds = left.components.seconds * 1_000_000_000 + left.components.attoseconds / 1_000_000_000
            out += "attache_token_expiry_seconds{\(label(status))} \(seconds(UInt64(nanoseconds)))\n"
        }
    }

    private func values(to out: inout String) {
        family("attache_token_values", "gauge", "Values of a parameterised credential whose tokens are kept.", to: &out)
        for status in credentials {
            if let count = status.valueCount { out += "attache_token_values{\(label(status))} \(count)\n" }
        }
    }

    private func family(_ name: String, _ type: String, _ help: String, to out: inout String) {
        out += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    private func label(_ status: CredentialStatus) -> String { "credential=\"\(escaped(status.name))\"" }

    private func seconds(_ nanoseconds: UInt64) -> String {
        let fraction = "\(nanoseconds % 1_000_000_000)"
        return "\(nanoseconds / 1_000_000_000)." + String(repeating: "0", count: 9 - fraction.count) + fraction
    }

    private func escaped(_ text: String) -> String {
        // By scalars: a quote with a combining mark behind it is another character, but still a quote.
        text.unicodeScalars.reduce(into: "") { out, scalar in
            switch scalar {
            case "\\": out += "\\\\"
            case "\"": out += "\\\""
            case "\n": out += "\\n"
            default: out.unicodeScalars.append(scalar)
            }
        }
    }
}
