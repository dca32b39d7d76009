import ProxyCore
import Testing
import TokenManager

@testable import ProxyServer

@Suite struct UnitAdminPagesTests {
    private func answer(
        _ path: String, method: String = "GET", credentials: [CredentialStatus] = [], isDraining: Bool = false
    ) -> EmbeddedServer.Response {
        visit(path, method: method, credentials: credentials, isDraining: isDraining).answer
    }

    /// An answer, and what was asked for to make it.
    private func visit(
        _ path: String, method: String = "GET", credentials: [CredentialStatus] = [], isDraining: Bool = false
    ) -> (answer: EmbeddedServer.Response, asked: [String]) {
        var asked: [String] = []
        var answer = EmbeddedServer.Response(0, "")
        let pages = AdminPages(
            isDraining: isDraining,
            credentials: {
                asked.append("credentials")
                return credentials
            },
            metrics: { done in
                asked.append("metrics")
                done(MetricsPage(metrics: Metrics(routeCount: 0), routes: [], credentials: credentials, now: .now))
            })
        pages.answer(.init(method: method, path: path, query: "a=b", authorization: nil, body: [])) { answer = $0 }
        return (answer, asked)
    }

    @Test(
        "A page gathers only what it shows",
        arguments: [
            ("GET", "/livez", []), ("GET", "/readyz", ["credentials"]), ("HEAD", "/readyz", ["credentials"]),
            ("GET", "/metrics", ["metrics"]), ("HEAD", "/metrics", []), ("POST", "/metrics", []), ("GET", "/", []),
        ] as [(String, String, [String])])
    func asked(method: String, path: String, expected: [String]) {
        #expect(visit(path, method: method).asked == expected)
    }

    @Test("The proxy is alive as long as the page answers", arguments: ["GET", "HEAD"])
    func alive(_ method: String) {
        let answer = answer("/livez", method: method, isDraining: true)
        #expect(answer.status == 200)
        #expect(answer.body == "alive\n")
    }

    @Test(
        "The proxy is ready while every credential can be attached",
        arguments: [
            ([], 200, "ready\n"),
            ([.fresh], 200, "ready\ncredential c0: ready\n"),
            ([.refreshing, .fresh], 200, "ready\ncredential c0: ready\ncredential c1: ready\n"),
            ([.fresh, .empty], 503, "not ready\ncredential c0: ready\ncredential c1: not ready, empty\n"),
            ([.fetching], 503, "not ready\ncredential c0: not ready, fetching\n"),
            ([.failed, .fresh], 503, "not ready\ncredential c0: not ready, failed\ncredential c1: ready\n"),
        ] as [([CredentialStatus.State], Int, String)])
    func ready(_ states: [CredentialStatus.State], _ status: Int, _ body: String) {
        let credentials = states.enumerated().map { CredentialStatus(name: "c\($0)", state: $1) }
        let answer = answer("/readyz", credentials: credentials)
        #expect(answer.status == status)
        #expect(answer.body == body)
        #expect(answer.contentType == "text/plain; charset=utf-8")
    }

    @Test("The proxy is ready without a credential that is not required, and the page names it")
    func optional() {
        let error = TokenError(kind: .tokenServerUnreachable, message: "no answer")
        let main = CredentialStatus(name: "main", state: .fresh)
        let extra = CredentialStatus(name: "extra", state: .failed, lastError: error, isRequired: false)
        let ready = answer("/readyz", credentials: [main, extra])
        #expect(ready.status == 200)
        #expect(
            ready.body
                == "ready\ncredential main: ready\ncredential extra: not ready (not required), failed: no answer; "
                + "code token-server-unreachable\n")
        let missing = CredentialStatus(name: "main", state: .empty)
        #expect(answer("/readyz", credentials: [missing, extra]).status == 503)
    }

    @Test("The page says why a credential is not ready, and what failed last while one still serves")
    func reason() {
        let error = TokenError(kind: .tokenServerUnreachable, message: "the token server idp.example gave no answer")
        let failed = CredentialStatus(name: "main", state: .failed, lastError: error, failed: 3)
        #expect(
            answer("/readyz", credentials: [failed]).body
                == "not ready\ncredential main: not ready, failed: the token server idp.example gave no answer; "
                + "code token-server-unreachable\n")
        let serving = CredentialStatus(name: "main", state: .refreshing, lastError: error, succeeded: 1, failed: 3)
        #expect(
            answer("/readyz", credentials: [serving]).body
                == "ready\ncredential main: ready; the last request failed: the token server idp.example gave no answer; "
                + "code token-server-unreachable\n"
        )
    }

    @Test("The proxy is not ready while it drains, whatever its credentials")
    func draining() {
        let credentials = [CredentialStatus(name: "main", state: .fresh)]
        let answer = answer("/readyz", credentials: credentials, isDraining: true)
        #expect(answer.status == 503)
        #expect(answer.body == "not ready: draining\n")
    }

    @Test("The metrics have the content type that Prometheus requires")
    func metrics() throws {
        let answer = answer("/metrics", credentials: [CredentialStatus(name: "main", state: .fresh)])
        #expect(answer.status == 200)
        #expect(answer.contentType == "text/plain; version=0.0.4; charset=utf-8")
        #expect(try UnitPrometheusText(answer.body).types["attache_requests_total"] == "counter")
    }

    @Test(
        "Other methods are not allowed, on any page",
        arguments: ["POST", "PUT", "DELETE", "OPTIONS", "get", "PATCH", ""])
    func method(_ method: String) {
        for path in ["/livez", "/readyz", "/metrics", "/nowhere"] {
            let answer = answer(path, method: method)
            #expect(answer.status == 405)
            #expect(answer.fields == ["Allow: GET, HEAD"])
        }
    }

    @Test(
        "Another page is not found, and the response names the existing ones",
        arguments: ["", "/", "/livez/", "/Livez", "//livez", "/credentials", "/metrics/x", "*"])
    func notFound(_ path: String) {
        let answer = answer(path)
        #expect(answer.status == 404)
        for page in ["/livez", "/readyz", "/metrics"] { #expect(answer.body.contains(page)) }
    }
}
