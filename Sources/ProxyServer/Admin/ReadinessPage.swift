import ProxyCore
import TokenManager

/// The page `/readyz`: 200 if every required credential has a usable token; its lines say which has none, and why, and which
/// findings are shown.
///
/// A credential with tokens per request counts as ready without a token.
struct ReadinessPage {
    let readiness: Readiness
    let credentials: [CredentialStatus]
    let findings: FindingsPage

    var response: EmbeddedServer.Response {
        let findings = findings.lines
        if readiness == .draining {
            return .init(503, (["not ready: draining"] + findings).joined(separator: "\n") + "\n")
        }
        let now = ContinuousClock.now
        let lines = credentials.map { CredentialLine(status: $0, now: now).text }
        let text = ([readiness.rawValue] + lines + findings).joined(separator: "\n") + "\n"
        return .init(readiness == .ready ? 200 : 503, text)
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
        return "\(next); Attaché uses the old token for another \((end - now).secondsText())"
    }
}
