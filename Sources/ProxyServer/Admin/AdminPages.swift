import ProxyCore
import TokenManager

/// What the admin listener answers: is it alive, is it ready, what does it count; never a token.
struct AdminPages {
    let metrics: Metrics
    let routes: [Route]
    let credentials: [CredentialStatus]
    let isDraining: Bool
    let now: ContinuousClock.Instant

    func answer(_ request: EmbeddedServer.Request) -> EmbeddedServer.Response {
        guard request.method == "GET" || request.method == "HEAD" else {
            return .init(405, "GET and HEAD only\n", fields: ["Allow: GET, HEAD"])
        }
        switch request.path {
        case "/livez": return .init(200, "alive\n")
        case "/readyz": return ready
        case "/metrics":
            let page = MetricsPage(metrics: metrics, routes: routes, credentials: credentials, now: now)
            return .init(200, page.text, contentType: MetricsPage.contentType)
        default: return .init(404, "The pages here: /livez, /readyz, /metrics\n")
        }
    }

    /// 200 only when every credential could be attached now; the lines say which one could not, and why.
    ///
    /// One that has a token for each value that requests name needs none before somebody asks.
    private var ready: EmbeddedServer.Response {
        if isDraining { return .init(503, "not ready: draining\n") }
        let lines = credentials.map { status in
            let reason = status.lastError.map { ": \($0.message)" } ?? ""
            if status.isReady {
                let last = reason.isEmpty ? "" : "; the last request failed\(reason)"
                guard let count = status.valueCount else { return "credential \(status.name): ready\(last)" }
                return "credential \(status.name): ready, tokens for \(count) value\(count == 1 ? "" : "s") kept\(last)"
            }
            return "credential \(status.name): not ready, \(status.state.rawValue)\(reason)"
        }
        let isReady = credentials.allSatisfy(\.isReady)
        let text = ([isReady ? "ready" : "not ready"] + lines).joined(separator: "\n") + "\n"
        return .init(isReady ? 200 : 503, text)
    }
}
