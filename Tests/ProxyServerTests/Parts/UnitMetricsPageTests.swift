import EventTransport
import Glibc
import ProxyCore
import Testing
import TokenManager

@testable import ProxyServer

@Suite struct UnitMetricsPageTests {
    private let now = ContinuousClock.now

    private func route(_ name: String) -> Route {
        Route(name: name, match: RouteMatch(host: .exact("a.example"), port: .any), upstream: .requestedHostOverTLS)
    }

    private func page(
        _ metrics: Metrics, routes: [String] = [], credentials: [CredentialStatus] = []
    ) throws -> UnitPrometheusText {
        let text = MetricsPage(metrics: metrics, routes: routes.map(route), credentials: credentials, now: now).text
        return try UnitPrometheusText(text)
    }

    @Test("A page without any counts declares every family")
    func empty() throws {
        let page = try page(Metrics(routeCount: 0))
        #expect(
            page.types == [
                "attache_requests_total": "counter", "attache_request_duration_seconds": "histogram",
                "attache_upstream_response_duration_seconds": "histogram", "attache_bytes_total": "counter",
                "attache_connections": "gauge", "attache_connections_accepted_total": "counter",
                "attache_connections_refused_total": "counter", "attache_access_log_dropped_lines_total": "counter",
                "attache_accept_pauses_total": "counter", "attache_finding": "gauge",
                "attache_upstream_connections_idle": "gauge", "attache_upstream_connections_opened_total": "counter",
                "attache_token_refresh_seconds": "gauge", "attache_token_state": "gauge", "attache_tunnels": "gauge",
                "attache_tunnels_opened_total": "counter", "attache_tunnel_bytes_total": "counter",
                "attache_token_fetches_total": "counter", "attache_token_expiry_seconds": "gauge",
                "attache_upstream_retries_total": "counter", "attache_tokens_refused_total": "counter",
                "attache_token_fetch_duration_seconds": "histogram",
                "attache_client_certificate_expiry_timestamp_seconds": "gauge",
                "attache_upstream_certificate_expiry_timestamp_seconds": "gauge",
            ])
    }

    @Test("Look-ups of names are counted by result, and kept answers by whether their TTL had ended")
    func names() throws {
        let page = try UnitPrometheusText(
            MetricsPage(
                metrics: Metrics(routeCount: 0), routes: [], credentials: [], now: now,
                names: .init(found: 1, missing: 2, failed: 3, hits: 4, stale: 5)
            ).text)
        let lookups = "attache_dns_lookups_total"
        #expect(page.value(lookups, ["result": "found"]) == 1)
        #expect(page.value(lookups, ["result": "not_found"]) == 2)
        #expect(page.value(lookups, ["result": "failure"]) == 3)
        #expect(page.value("attache_dns_cache_hits_total", [:]) == 4)
        #expect(page.value("attache_dns_stale_answers_total", [:]) == 5)
        #expect(page.types[lookups] == "counter")
    }

    @Test("Requests are counted by route and status, those without a route under none")
    func requests() throws {
        var metrics = Metrics(routeCount: 2)
        for _ in 0..<3 { metrics.count(route: 0, status: 200, nanoseconds: 1) }
        metrics.count(route: 1, status: 502, nanoseconds: 1)
        metrics.count(route: nil, status: 403, nanoseconds: 1)
        let page = try page(metrics, routes: ["first", "second"])
        let name = "attache_requests_total"
        #expect(page.value(name, ["route": "first", "code": "200"]) == 3)
        #expect(page.value(name, ["route": "second", "code": "502"]) == 1)
        #expect(page.value(name, ["route": "", "code": "403"]) == 1)
        #expect(page.samples.count { $0.name == name } == 3)
    }

    @Test("The histogram is cumulative, ends with +Inf, and agrees with its count and its sum")
    func histogram() throws {
        var metrics = Metrics(routeCount: 0)
        for nanoseconds: Int64 in [500_000, 1_000_000, 3_000_000, 700_000_000, 60_000_000_000] {
            metrics.count(route: nil, status: 200, nanoseconds: nanoseconds)
        }
        let page = try page(metrics)
        let buckets = page.samples.filter { $0.name == "attache_request_duration_seconds_bucket" }
        #expect(buckets.compactMap { $0.labels["le"] } == Histogram.bounds + ["+Inf"])
        #expect(buckets.map(\.value) == [2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 5])
        #expect(page.value("attache_request_duration_seconds_count", ["route": ""]) == 5)
        #expect(page.value("attache_request_duration_seconds_sum", ["route": ""]) == 60.7045)
    }

    @Test("The time of the backend and the bytes are counted by route, and a tunnel's bytes at its end")
    func upstreamAndBytes() throws {
        var metrics = Metrics(routeCount: 2)
        metrics.count(route: 0, status: 200, nanoseconds: 9_000_000, upstream: 2_000_000, received: 10, sent: 200)
        metrics.count(route: 0, status: 502, nanoseconds: 1, received: 5, sent: 7)
        metrics.count(route: 1, status: 101, nanoseconds: 1)
        metrics.countBytes(route: 1, received: 3, sent: 4)
        let page = try page(metrics, routes: ["a", "b"])
        let upstream = "attache_upstream_response_duration_seconds"
        #expect(page.value(upstream + "_count", ["route": "a"]) == 1)
        #expect(page.value(upstream + "_sum", ["route": "a"]) == 0.002)
        #expect(page.value(upstream + "_count", ["route": "b"]) == nil)
        #expect(page.value("attache_bytes_total", ["route": "a", "direction": "received"]) == 15)
        #expect(page.value("attache_bytes_total", ["route": "a", "direction": "sent"]) == 207)
        #expect(page.value("attache_bytes_total", ["route": "b", "direction": "received"]) == 3)
        #expect(page.value("attache_bytes_total", ["route": "b", "direction": "sent"]) == 4)
    }

    @Test("Each route has its own durations and retries, and a route without requests has none")
    func routes() throws {
        var metrics = Metrics(routeCount: 3)
        metrics.count(route: 0, status: 200, nanoseconds: 2_000_000)
        metrics.count(route: 2, status: 200, nanoseconds: 3_000_000_000)
        for _ in 0..<2 { metrics.count(.connectionLost, route: 0) }
        metrics.count(.tokenRefused, route: 2)
        let page = try page(metrics, routes: ["a", "b", "c"])
        #expect(page.value("attache_request_duration_seconds_sum", ["route": "a"]) == 0.002)
        #expect(page.value("attache_request_duration_seconds_sum", ["route": "c"]) == 3)
        let retries = "attache_upstream_retries_total"
        #expect(page.value(retries, ["route": "a", "reason": "connection_lost"]) == 2)
        #expect(page.value(retries, ["route": "c", "reason": "token_refused"]) == 1)
        #expect(page.value(retries, ["route": "c", "reason": "nonce_asked"]) == 0)
        #expect(!page.samples.contains { $0.labels["route"] == "b" })
    }

    @Test("A credential has its refusals, the durations of its fetches and its certificate's expiry")
    func credentialFacts() throws {
        var metrics = Metrics(routeCount: 0, credentialCount: 2)
        for _ in 0..<3 { metrics.countRefusedToken(credential: 1) }
        var histogram = Histogram()
        histogram.observe(40_000_000)
        let page = MetricsPage(
            metrics: metrics, routes: [route("r")],
            credentials: [
                CredentialStatus(name: "a", state: .fresh, certificateExpiresAt: 1_800_000_000),
                CredentialStatus(name: "b", state: .fresh),
            ], now: now, fetchDurations: ["b": histogram], routeCertificates: [1_900_000_000])
        let text = try UnitPrometheusText(page.text)
        #expect(text.value("attache_tokens_refused_total", ["credential": "a"]) == 0)
        #expect(text.value("attache_tokens_refused_total", ["credential": "b"]) == 3)
        let fetch = "attache_token_fetch_duration_seconds"
        #expect(text.value("\(fetch)_bucket", ["credential": "b", "le": "0.05"]) == 1)
        #expect(text.value("\(fetch)_bucket", ["credential": "b", "le": "0.025"]) == 0)
        #expect(text.value("\(fetch)_count", ["credential": "a"]) == nil)
        let end = "attache_client_certificate_expiry_timestamp_seconds"
        #expect(text.value(end, ["credential": "a"]) == 1_800_000_000)
        #expect(text.value(end, ["route": "r"]) == 1_900_000_000)
    }

    @Test("Of the backend's certificates that the workers saw, the one seen last counts")
    func backendCertificates() throws {
        func metrics(_ certificates: [Int: BackendCertificate]) -> Metrics {
            var metrics = Metrics(routeCount: 3)
            metrics.backendCertificates = certificates
            return metrics
        }
        func seen(_ second: Int64, _ end: Int64) -> BackendCertificate {
            BackendCertificate(seenAt: MonotonicInstant(nanoseconds: second), expiresAt: end)
        }
        var all = metrics([0: seen(2, 100)])
        all.add(metrics([0: seen(1, 200), 1: seen(1, 300)]))
        all.add(metrics([1: seen(2, 250)]))
        let routes = [route("a"), route("b"), route("c")]
        let page = MetricsPage(metrics: all, routes: routes, credentials: [], now: now)
        let text = try UnitPrometheusText(page.text)
        let name = "attache_upstream_certificate_expiry_timestamp_seconds"
        #expect(text.value(name, ["route": "a"]) == 100)
        #expect(text.value(name, ["route": "b"]) == 250)
        #expect(text.value(name, ["route": "c"]) == nil)
    }

    @Test("The build and the process have the names of Prometheus' clients")
    func process() throws {
        let page = MetricsPage(
            metrics: Metrics(routeCount: 0), routes: [], credentials: [], now: now,
            build: BuildIdentity(version: "1.2.3"), process: ProcessUsage())
        let text = try UnitPrometheusText(page.text)
        let build = try #require(text.samples.first { $0.name == "attache_build_info" })
        #expect(Set(build.labels.keys) == ["version", "commit", "swift", "libevent", "openssl", "c_ares"])
        #expect(build.labels["version"] == "1.2.3" && build.value == 1)
        #expect(build.labels["openssl"]?.hasPrefix("3.") == true && build.labels["libevent"]?.hasPrefix("2.") == true)
        #expect(text.types["process_cpu_seconds_total"] == "counter")
        for name in [
            "process_cpu_seconds_total", "process_resident_memory_bytes", "process_virtual_memory_bytes",
            "process_open_fds", "process_max_fds",
        ] {
            #expect(try #require(text.value(name)) > 0)
        }
        #expect(
            try #require(text.value("process_virtual_memory_bytes"))
                >= #require(text.value("process_resident_memory_bytes")))
        // Not before this file was written, not after now.
        let start = try #require(text.value("process_start_time_seconds"))
        #expect(start > 1_700_000_000 && start <= Double(Glibc.time(nil) + 1))
    }

    @Test("Connections and dropped lines have their counts")
    func connections() throws {
        var metrics = Metrics(routeCount: 0)
        (metrics.downstreamConnections, metrics.upstreamConnections) = (3, 2)
        (metrics.acceptedConnections, metrics.refusedConnections, metrics.droppedLogLines) = (10, 1, .max)
        let page = try page(metrics)
        #expect(page.value("attache_connections", ["side": "downstream"]) == 3)
        #expect(page.value("attache_connections", ["side": "upstream"]) == 2)
        #expect(page.value("attache_connections_accepted_total") == 10)
        #expect(page.value("attache_connections_refused_total") == 1)
        #expect(page.value("attache_access_log_dropped_lines_total") == Double(UInt64.max))
    }

    @Test(
        "A credential is in one state, with its fetches and its remaining time",
        arguments: [CredentialStatus.State.empty, .fetching, .fresh, .refreshing, .failed])
    func credentials(_ state: CredentialStatus.State) throws {
        let error = TokenError(credential: "main", kind: .stopped, message: "canary")
        let status = CredentialStatus(
            name: "main", state: state, refreshAt: now, expiresAt: now.advanced(by: .milliseconds(90_500)),
            lastError: error, succeeded: 4, failed: 2)
        let page = try page(Metrics(routeCount: 0), credentials: [status, CredentialStatus(name: "b", state: .empty)])
        let states = page.samples.filter { $0.name == "attache_token_state" && $0.labels["credential"] == "main" }
        #expect(states.count == 5)
        #expect(states.filter { $0.value == 1 }.map { $0.labels["state"] } == [state.rawValue])
        #expect(page.value("attache_token_fetches_total", ["credential": "main", "result": "success"]) == 4)
        #expect(page.value("attache_token_fetches_total", ["credential": "main", "result": "failure"]) == 2)
        #expect(page.value("attache_token_expiry_seconds", ["credential": "main"]) == 90.5)
        #expect(page.value("attache_token_expiry_seconds", ["credential": "b"]) == 0)
    }

    @Test("An expired token has no time left, not a negative one")
    func expired() throws {
        let status = CredentialStatus(name: "a", state: .failed, expiresAt: now.advanced(by: .seconds(-5)))
        let page = try page(Metrics(routeCount: 0), credentials: [status])
        #expect(page.value("attache_token_expiry_seconds", ["credential": "a"]) == 0)
    }

    @Test(
        "No name can end its label early",
        arguments: [
            "plain", "*.example", "a\"b", "a\\b", "a\nb", "\"} 1\nx{y=\"", "\\", "\\n", "\u{e9}\u{1f600}", "",
        ])
    func labels(_ name: String) throws { try expectLabels(of: name) }

    @Test(
        "No name can end its label early if a quote, a backslash or a line feed is part of a larger Character",
        arguments: ["a\r\nb", "\"\u{301}", "\\\u{301}"])
    func clusters(_ name: String) throws {
        try expectLabels(of: name)
    }

    private func expectLabels(of name: String) throws {
        var metrics = Metrics(routeCount: 1)
        metrics.count(route: 0, status: 200, nanoseconds: 1)
        let page = try page(metrics, routes: [name], credentials: [CredentialStatus(name: name, state: .fresh)])
        let route = page.samples.first { $0.name == "attache_requests_total" }?.labels["route"]
        #expect(route?.unicodeScalars.elementsEqual(name.unicodeScalars) == true)
        let credential = page.samples.first { $0.name == "attache_token_state" }?.labels["credential"]
        #expect(credential?.unicodeScalars.elementsEqual(name.unicodeScalars) == true)
    }
}
