import ProxyCore
import Testing
import TokenManager

@testable import ProxyServer

@Suite struct UnitMetricsFormatTests {
    @Test(
        "Accept chooses the format",
        arguments: [
            (nil, .prometheus), ("", .prometheus), ("*/*", .prometheus), ("text/plain", .prometheus),
            ("application/openmetrics-text", .openMetrics),
            ("application/openmetrics-text; version=1.0.0; charset=utf-8", .openMetrics),
            (
                "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                    + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", .openMetrics
            ),
            ("Application/OpenMetrics-Text; Version=1.0.0; q=0.6, text/plain; q=0.5", .openMetrics),
            ("application/openmetrics-text;version=0.0.1", .prometheus),
            ("application/openmetrics-text;q=0.3,text/plain;q=0.5", .prometheus),
            ("application/openmetrics-text;q=0", .prometheus), ("application/openmetrics-text;q=x", .prometheus),
            ("text/html", .prometheus),
        ] as [(String?, MetricsFormat)])
    func accept(_ accept: String?, expected: MetricsFormat) {
        #expect(MetricsFormat(accept: accept) == expected)
    }

    @Test("As OpenMetrics, the family of a counter has no _total, units are told, and the text has an end")
    func openMetrics() {
        var out = PrometheusText(.openMetrics)
        out.family("a_bytes_total", "counter", "Bytes.")
        out.sample("a_bytes_total", "", 1)
        out.family("b_seconds", "gauge", "Time.")
        #expect(
            out.page == """
                # HELP a_bytes Bytes.
                # TYPE a_bytes counter
                # UNIT a_bytes bytes
                a_bytes_total 1
                # HELP b_seconds Time.
                # TYPE b_seconds gauge
                # UNIT b_seconds seconds
                # EOF

                """)
    }

    @Test("Both formats have the same samples")
    func same() {
        var metrics = Metrics(routeCount: 0)
        metrics.count(route: nil, status: 403, nanoseconds: 1)
        let now = ContinuousClock.now
        let status = CredentialStatus(
            name: "main", state: .fresh, refreshAt: now + .seconds(5), expiresAt: now + .seconds(9))
        let texts = [MetricsFormat.prometheus, .openMetrics].map { format in
            MetricsPage(metrics: metrics, routes: [], credentials: [status], now: now, format: format).text
                .split(separator: "\n").filter { !$0.hasPrefix("#") }
        }
        #expect(texts[0] == texts[1])
        #expect(texts[0].contains("attache_token_refresh_seconds{credential=\"main\"} 5.000000000"))
        #expect(texts[0].contains("attache_upstream_connections_opened_total 0"))
    }
}
