import EventTransport
import ProxyCore
import TokenManager

/// The metrics as the admin listener shows them.
struct MetricsPage {
    let metrics: Metrics
    let routes: [Route]
    /// The numbers of routes and credentials; nil if they count from 0.
    var numbers: StableNumbers?
    let credentials: [CredentialStatus]
    let now: ContinuousClock.Instant
    var format = MetricsFormat.prometheus
    /// The durations of fetches, by credential; a credential without a fetch is absent.
    var fetchDurations: [String: Histogram] = [:]
    /// When the client certificate of each route expires, in seconds since 1970; in the order of the routes.
    var routeCertificates: [Int64?] = []
    /// The look-ups of names; nil if they are not shown.
    var names: NameCounts.Snapshot?
    /// The versions of the program and its libraries; nil if they are not shown.
    var build: BuildIdentity?
    /// The resources of the whole process; nil if they are not shown.
    var process: ProcessUsage?
    /// How often the configuration was loaded again; nil if that is not shown.
    var reloads: ReloadCounts?
    /// The findings that are shown.
    var findings: [Finding] = []

    var text: String {
        var out = PrometheusText(format)
        requests(to: &out)
        connections(to: &out)
        tunnels(to: &out)
        if let spans = metrics.spans { self.spans(spans, to: &out) }
        let labels = credentials.map { PrometheusText.label("credential", $0.name) }
        tokens(labels, to: &out)
        fetches(labels, to: &out)
        certificates(labels, to: &out)
        if let names { self.names(names, to: &out) }
        if let reloads { self.reloads(reloads, to: &out) }
        findings(to: &out)
        if let build { self.build(build, to: &out) }
        if let process { self.process(process, to: &out) }
        return out.page
    }

    private var numberedRoutes: [(Int, Route)] { Array(zip(numbers?.routes ?? Array(routes.indices), routes)) }

    /// How often a token of a credential was refused, with whatever settings.
    private func refusedTokens(of name: String) -> UInt64 {
        let names = numbers?.credentialNames ?? credentials.map(\.name)
        return zip(names, metrics.refusedTokens).reduce(0) { $1.0 == name ? $0 + $1.1 : $0 }
    }

    /// The metrics of requests; all samples of one metric must stand together.
    private func requests(to out: inout PrometheusText) {
        let all = numberedRoutes.map { (PrometheusText.label("route", $1.name), metrics[$0]) }
        let rows = (all + [(PrometheusText.label("route", ""), metrics[nil])]).filter { !$1.statuses.isEmpty }
        out.family("attache_requests_total", "counter", "Requests ended, by route and status code.")
        for (label, row) in rows {
            for (status, count) in row.statuses.sorted(by: { $0.status < $1.status }) {
                out.sample("attache_requests_total", "\(label),code=\"\(status)\"", count)
            }
        }
        let name = "attache_request_duration_seconds"
        out.family(name, "histogram", "Time from the request's head to the response's end, by route.")
        for (label, row) in rows { out.histogram(name, label, row.durations) }
        let upstream = "attache_upstream_response_duration_seconds"
        out.family(
            upstream, "histogram",
            "Time from sending the request to its backend to the head of the response, by route.")
        for (label, row) in rows where row.upstreamDurations.count > 0 {
            out.histogram(upstream, label, row.upstreamDurations)
        }
        let bytes = "attache_bytes_total"
        out.family(bytes, "counter", "Bytes of requests' bodies, of responses and of ended tunnels, by route.")
        for (label, row) in rows {
            out.sample(bytes, "\(label),direction=\"received\"", row.bytesReceived)
            out.sample(bytes, "\(label),direction=\"sent\"", row.bytesSent)
        }
        let retries = "attache_upstream_retries_total"
        out.family(retries, "counter", "Requests sent to their backend once more, by route and reason.")
        for (label, row) in rows {
            for retry in Retry.allCases {
                out.sample(retries, "\(label),reason=\"\(retry.rawValue)\"", row.retries[retry])
            }
        }
    }

    private func connections(to out: inout PrometheusText) {
        out.family("attache_connections", "gauge", "Open connections, by side.")
        out.sample("attache_connections", "side=\"downstream\"", metrics.downstreamConnections)
        out.sample("attache_connections", "side=\"upstream\"", metrics.upstreamConnections)
        let idle = "attache_upstream_connections_idle"
        out.family(idle, "gauge", "Open connections to backends that wait for a request.")
        out.sample(idle, "", metrics.idleUpstreamConnections)
        for (name, help, count) in [
            (
                "attache_upstream_connections_opened_total", "Connections to backends opened.",
                metrics.openedUpstreamConnections
            ),
            ("attache_connections_accepted_total", "Connections of apps accepted.", metrics.acceptedConnections),
            ("attache_connections_refused_total", "Connections of apps over the limit.", metrics.refusedConnections),
            (
                "attache_access_log_dropped_lines_total", "Lines of the access log that were dropped.",
                metrics.droppedLogLines
            ),
            (
                "attache_accept_pauses_total", "How often connections of apps had to wait for descriptors.",
                metrics.acceptPauses
            ),
        ] {
            out.family(name, "counter", help)
            out.sample(name, "", count)
        }
    }

    private func spans(_ spans: SpanCounts, to out: inout PrometheusText) {
        let name = "attache_trace_spans_total"
        out.family(name, "counter", "Spans of traced requests, by what became of them.")
        out.sample(name, "result=\"sent\"", spans.sent)
        out.sample(name, "result=\"dropped\"", spans.dropped)
    }

    private func tunnels(to out: inout PrometheusText) {
        let rows = Tunnel.Kind.allCases.map { (PrometheusText.label("kind", $0.rawValue), metrics.tunnels[$0]) }
        out.family("attache_tunnels", "gauge", "Open tunnels, by what opened them.")
        for (label, row) in rows { out.sample("attache_tunnels", label, row.open) }
        out.family("attache_tunnels_opened_total", "counter", "Tunnels opened, by what opened them.")
        for (label, row) in rows { out.sample("attache_tunnels_opened_total", label, row.opened) }
        let bytes = "attache_tunnel_bytes_total"
        out.family(bytes, "counter", "Bytes of tunnels that have ended, from apps and to apps.")
        for (label, row) in rows {
            out.sample(bytes, "\(label),direction=\"received\"", row.received)
            out.sample(bytes, "\(label),direction=\"sent\"", row.sent)
        }
    }

    private func tokens(_ labels: [String], to out: inout PrometheusText) {
        out.family("attache_token_state", "gauge", "1 for the state that the credential is in.")
        for (status, label) in zip(credentials, labels) {
            for state in [CredentialStatus.State.empty, .fetching, .fresh, .refreshing, .failed] {
                let value = status.state == state ? 1 : 0
                out.sample("attache_token_state", "\(label),state=\"\(state.rawValue)\"", value)
            }
        }
        out.family("attache_token_expiry_seconds", "gauge", "Time until the token is no longer used.")
        for (status, label) in zip(credentials, labels)
        where status.valueCount == nil && (status.expiresAt != nil || !status.isUsable) {
            let left = status.expiresAt.map { max(.zero, $0 - now) } ?? .zero
            out.sample("attache_token_expiry_seconds", label, PrometheusText.seconds(UInt64(left.nanoseconds)))
        }
        let refresh = "attache_token_refresh_seconds"
        out.family(refresh, "gauge", "Time until the next token is fetched, as planned.")
        for (status, label) in zip(credentials, labels) {
            guard status.isUsable, let refreshAt = status.refreshAt else { continue }
            out.sample(refresh, label, PrometheusText.seconds(UInt64(max(.zero, refreshAt - now).nanoseconds)))
        }
        out.family(
            "attache_tokens_refused_total", "counter", "Responses by which a backend refused a token, by credential.")
        for (status, label) in zip(credentials, labels) {
            out.sample("attache_tokens_refused_total", label, refusedTokens(of: status.name))
        }
        guard credentials.contains(where: { $0.valueCount != nil }) else { return }
        out.family("attache_token_values", "gauge", "Values of a parameterised credential whose tokens are kept.")
        for (status, label) in zip(credentials, labels) {
            if let count = status.valueCount { out.sample("attache_token_values", label, count) }
        }
    }

    private func fetches(_ labels: [String], to out: inout PrometheusText) {
        out.family("attache_token_fetches_total", "counter", "Token requests ended, by result.")
        for (status, label) in zip(credentials, labels) {
            out.sample("attache_token_fetches_total", "\(label),result=\"success\"", status.succeeded)
            out.sample("attache_token_fetches_total", "\(label),result=\"failure\"", status.failed)
        }
        let name = "attache_token_fetch_duration_seconds"
        out.family(name, "histogram", "Time from the start of a token's fetch to its end, by credential.")
        for (status, label) in zip(credentials, labels) {
            if let durations = fetchDurations[status.name] { out.histogram(name, label, durations) }
        }
    }
}

/// The metrics of names, certificates, the program and its process.
extension MetricsPage {
    func names(_ names: NameCounts.Snapshot, to out: inout PrometheusText) {
        let lookups = "attache_dns_lookups_total"
        out.family(lookups, "counter", "Look-ups of names by name servers that have ended, by result.")
        out.sample(lookups, "result=\"found\"", names.found)
        out.sample(lookups, "result=\"not_found\"", names.missing)
        out.sample(lookups, "result=\"failure\"", names.failed)
        let hits = "attache_dns_cache_hits_total"
        out.family(hits, "counter", "New connections that used a kept answer within its TTL.")
        out.sample(hits, "", names.hits)
        let stale = "attache_dns_stale_answers_total"
        out.family(stale, "counter", "New connections that used a kept answer after its TTL.")
        out.sample(stale, "", names.stale)
    }

    func certificates(_ labels: [String], to out: inout PrometheusText) {
        let name = "attache_client_certificate_expiry_timestamp_seconds"
        out.family(name, "gauge", "When a client certificate expires, in seconds since 1970.")
        for (route, end) in zip(routes, routeCertificates) {
            if let end { out.sample(name, PrometheusText.label("route", route.name), end) }
        }
        for (status, label) in zip(credentials, labels) {
            if let end = status.certificateExpiresAt { out.sample(name, label, end) }
        }
        let backend = "attache_upstream_certificate_expiry_timestamp_seconds"
        out.family(
            backend, "gauge",
            "When the backend's certificate of the last successful handshake expires, in seconds since 1970.")
        for (number, route) in numberedRoutes {
            guard let certificate = metrics.backendCertificates[number] else { continue }
            out.sample(backend, PrometheusText.label("route", route.name), certificate.expiresAt)
        }
    }

    /// The metrics of reloads, named as Prometheus names its own.
    func reloads(_ reloads: ReloadCounts, to out: inout PrometheusText) {
        let total = "attache_config_reloads_total"
        out.family(total, "counter", "Attempts to load the configuration again, by result.")
        out.sample(total, "result=\"success\"", reloads.succeeded)
        out.sample(total, "result=\"failure\"", reloads.failed)
        let last = "attache_config_last_reload_successful"
        out.family(last, "gauge", "Whether the last attempt to load the configuration succeeded.")
        out.sample(last, "", reloads.isLastSuccessful ? 1 : 0)
        let time = "attache_config_last_reload_success_timestamp_seconds"
        out.family(time, "gauge", "When the configuration in use was loaded, in seconds since 1970.")
        out.sample(time, "", Int64(reloads.lastSuccessAt))
    }

    func findings(to out: inout PrometheusText) {
        out.family("attache_finding", "gauge", "Always 1, for each finding that is shown now.")
        for finding in findings {
            let labels = [
                ("code", finding.code.rawValue), ("severity", finding.severity.rawValue),
                ("subject", finding.subject.description),
            ]
            out.sample("attache_finding", labels.map { PrometheusText.label($0, $1) }.joined(separator: ","), 1)
        }
    }

    func build(_ build: BuildIdentity, to out: inout PrometheusText) {
        out.family(
            "attache_build_info", "gauge",
            "Always 1; the labels are the versions of the program and its libraries.")
        let labels = build.parts.map { PrometheusText.label($0.name, $0.version) }.joined(separator: ",")
        out.sample("attache_build_info", labels, 1)
    }

    /// The metrics of the process, named as in Prometheus' own clients.
    func process(_ process: ProcessUsage, to out: inout PrometheusText) {
        func write(_ name: String, _ type: String, _ help: String, _ value: (some CustomStringConvertible)?) {
            guard let value else { return }
            out.family(name, type, help)
            out.sample(name, "", value)
        }
        write(
            "process_cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds.",
            PrometheusText.seconds(process.cpuNanoseconds))
        write(
            "process_resident_memory_bytes", "gauge", "Resident memory size in bytes.", process.residentMemoryByteCount)
        write("process_virtual_memory_bytes", "gauge", "Virtual memory size in bytes.", process.virtualMemoryByteCount)
        write(
            "process_start_time_seconds", "gauge", "Start time of the process since unix epoch in seconds.",
            process.startTime)
        write("process_open_fds", "gauge", "Number of open file descriptors.", process.openDescriptorCount)
        write("process_max_fds", "gauge", "Maximum number of open file descriptors.", process.descriptorLimit)
    }
}
