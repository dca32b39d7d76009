import ProxyCore
import TokenManager

/// The admin listener's pages: whether the process is alive, whether it is ready, and what it counts; never a token.
///
/// What a page shows is asked for only when that page is.
struct AdminPages {
    let isDraining: Bool
    let credentials: () -> [CredentialStatus]
    /// Makes the page of metrics and hands it over, at once or later.
    let metrics: (@escaping (MetricsPage) -> Void) -> Void

    func answer(_ request: EmbeddedServer.Request, _ answer: @escaping EmbeddedServer.Answer) {
        guard request.method == "GET" || request.method == "HEAD" else {
            return answer(.init(405, "GET and HEAD only\n", fields: ["Allow: GET, HEAD"]))
        }
        switch request.path {
        case "/livez": answer(.init(200, "alive\n"))
        case "/readyz": answer(ready)
        case "/metrics":
            guard request.method == "GET" else {
                return answer(.init(200, "", contentType: MetricsPage.contentType))
            }
            metrics { answer(.init(200, $0.text, contentType: MetricsPage.contentType)) }
        default: answer(.init(404, "The pages here: /livez, /readyz, /metrics\n"))
        }
    }

    /// 200 only when every credential could be attached now; the lines say which one could not, and why.
    ///
    /// One that has a token for each value that requests name needs none before somebody asks.
    private var ready: EmbeddedServer.Response {
        if isDraining { return .init(503, "not ready: draining\n") }
        let credentials = credentials()
        let now = ContinuousClock.now
        let lines = credentials.map { CredentialLine(status: $0, now: now).text }
        let isReady = credentials.allSatisfy(\.isReady)
        let text = ([isReady ? "ready" : "not ready"] + lines).joined(separator: "\n") + "\n"
        return .init(isReady ? 200 : 503, text)
    }
}
