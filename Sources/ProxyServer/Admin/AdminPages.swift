import ProxyCore
import TokenManager

/// The pages of the admin listener: liveness, readiness and metrics; none shows a token.
///
/// Each page gathers only what it shows.
struct AdminPages {
    let isDraining: Bool
    let credentials: () -> [CredentialStatus]
    /// Makes the page of metrics and passes it on, now or later.
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

    /// The page `/readyz`: 200 if every required credential has a usable token; its lines say which has none, and why.
    ///
    /// A credential with tokens per request counts as ready without a token.
    private var ready: EmbeddedServer.Response {
        if isDraining { return .init(503, "not ready: draining\n") }
        let credentials = credentials()
        let now = ContinuousClock.now
        let lines = credentials.map { CredentialLine(status: $0, now: now).text }
        let isReady = credentials.allSatisfy { $0.isReady || !$0.isRequired }
        let text = ([isReady ? "ready" : "not ready"] + lines).joined(separator: "\n") + "\n"
        return .init(isReady ? 200 : 503, text)
    }
}

/// The line of one credential on `/readyz`, without secrets and tokens.
struct CredentialLine {
    let status: CredentialStatus
    let now: ContinuousClock.Instant

    var text: String {
        let reason = status.lastError.map { ": \($0.message); code \($0.code)\(prospects)" } ?? ""
        guard status.isReady else {
            let need = status.isRequired ? "" : " (not required)"
            return "credential \(status.name): not ready\(need), \(status.state.rawValue)\(reason)"
        }
        let last = reason.isEmpty ? "" : "; the last request failed\(reason)"
        guard let count = status.valueCount else { return "credential \(status.name): ready\(last)" }
        return "credential \(status.name): ready, tokens for \(count) value\(count == 1 ? "" : "s") kept\(last)"
    }

    /// The time of the next attempt after a failure, and how long the old token still serves.
    private var prospects: String {
        let next = status.nextAttempt.map { "; next attempt in \(($0 - now).secondsText(roundedUp: true))" } ?? ""
        guard status.isUsable, let end = status.expiresAt else { return next }
        return "\(next); the old token serves for \((end - now).secondsText())"
    }
}
