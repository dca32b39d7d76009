import ProxyConfiguration
import TokenManager

/// The credentials on the status page: the life of each token, what happens next, and what failed last.
extension StatusPage {
    /// How many credentials are shown; those with an error come first if there are more.
    private static let credentialLimit = 100

    var credentialSection: HTML {
        guard !credentials.isEmpty else {
            return "<h2>Credentials</h2><p class=\"quiet\">The configuration has no credential in use.</p>"
        }
        let shown = shownCredentials
        let more: HTML =
            shown.count == credentials.count
            ? ""
            : """
            <p class="quiet">\(Figure.count(credentials.count - shown.count, "more credential")): see <a href="/credentials">/credentials</a>.</p>
            """
        return """
            <h2>Credentials <small>\(credentials.count)</small></h2>
            <div class="cards">\(shown.map(card))</div>
            \(more)
            """
    }

    private var shownCredentials: [CredentialStatus] {
        guard credentials.count > Self.credentialLimit else { return credentials }
        let failing = credentials.filter { !$0.isReady || $0.lastError != nil }
        let others = credentials.filter { $0.isReady && $0.lastError == nil }
        return Array((failing + others).prefix(Self.credentialLimit))
    }

    private func card(_ status: CredentialStatus) -> HTML {
        let source = configuration.credentials.first { $0.name == status.name }.map {
            $0.source.summary
        }
        let need: HTML = status.isRequired ? "" : ", not required"
        return """
            <article class="card" data-name="\(status.name)">
            <div class="head"><h3>\(status.name)</h3>\(pill(status))</div>
            <p class="quiet">\(source ?? "")\(need)</p>
            \(life(status))
            <p>\(next(status))</p>
            \(error(status))
            <p class="quiet">\(counts(status))</p>
            </article>
            """
    }

    private func pill(_ status: CredentialStatus) -> HTML {
        let hasError = status.lastError != nil
        switch status.state {
        case .fresh, .refreshing:
            let tone: HTML = hasError ? "fair" : "good"
            return "<span class=\"pill \(tone)\">\(status.state.rawValue)</span>"
        case .fetching:
            let tone: HTML = hasError ? "bad" : "fair"
            return "<span class=\"pill \(tone)\">fetching</span>"
        case .failed: return "<span class=\"pill bad\">failed</span>"
        case .empty where status.isReady: return "<span class=\"pill idle\">ready</span>"
        case .empty: return "<span class=\"pill idle\">empty</span>"
        }
    }

    private func life(_ status: CredentialStatus) -> HTML {
        guard status.isUsable, status.valueCount == nil else { return "" }
        guard let end = status.expiresAt else {
            let age = status.receivedAt.map { ", in use for \(Figure.duration(moment.now - $0))" } ?? ""
            return "<p>Does not expire\(age)</p>"
        }
        guard let begin = status.receivedAt else {
            return "<p>Expires in \(Figure.duration(end - moment.now))</p>"
        }
        let bar = LifeBar(begin: begin, refresh: status.refreshAt, end: end, now: moment.now)
        let (age, left) = (Figure.duration(moment.now - begin), Figure.duration(end - moment.now))
        return """
            \(bar.svg)
            <div class="times"><span>received \(age) ago</span><span>expires in \(left)</span></div>
            """
    }

    /// What Attaché does next for the credential.
    private func next(_ status: CredentialStatus) -> HTML {
        if let count = status.valueCount {
            return "Tokens per request: \(Figure.count(count, "value")) kept."
        }
        if status.lastError != nil, let next = status.nextAttempt {
            return "Next: another attempt \(Figure.time(to: next, from: moment.now))."
        }
        switch status.state {
        case .fetching: return "Now: Attaché fetches a token, and requests wait for it."
        case .refreshing: return "Now: Attaché fetches the next token, and requests use the old one."
        case .empty: return "Next: the next request fetches a token."
        case .failed: return "Next: no attempt is planned."
        case .fresh:
            guard let refresh = status.refreshAt else { return "" }
            return "Next: a refresh \(Figure.time(to: refresh, from: moment.now))."
        }
    }

    private func error(_ status: CredentialStatus) -> HTML {
        guard let error = status.lastError else { return "" }
        let kind: HTML = status.isReady ? "error warn" : "error"
        return "<p class=\"\(kind)\">\(error.message) <span class=\"quiet\">(\(error.code))</span></p>"
    }

    private func counts(_ status: CredentialStatus) -> HTML {
        let refused = refusedTokens(of: status.name)
        let refusals = refused > 0 ? ", \(Figure.count(refused, "token")) refused by backends" : ""
        let certificate = status.certificateExpiresAt.map { end in
            let left = end - Int64(moment.unixTime)
            return left < 0
                ? "; client certificate has expired"
                : "; client certificate expires in \(Figure.duration(.seconds(left)))"
        }
        return """
            \(Figure.count(status.succeeded, "fetch", "fetches")) succeeded, \(Figure.grouped(UInt64(status.failed))) failed\(refusals)\(certificate ?? "")
            """
    }

    private func refusedTokens(of name: String) -> UInt64 {
        zip(numbers.credentialNames, metrics.refusedTokens).reduce(0) { $1.0 == name ? $0 + $1.1 : $0 }
    }
}
