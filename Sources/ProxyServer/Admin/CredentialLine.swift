import TokenManager

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
