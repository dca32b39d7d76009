import TokenManager

/// The report of `attache token`: the times and claims of a token, and the token itself only on request.
package struct TokenReport: Sendable {
    private let name: String
    private let header: AuthorizationHeader
    /// The word before the secret part; nil if the whole value is secret.
    private let scheme: String?
    private let status: CredentialStatus?
    private let now: ContinuousClock.Instant
    /// Whether the token depends on the request; then Attaché renews it only when a request needs it.
    private let isOfRequest: Bool

    /// The width of the column of names; a longer name exceeds it, so that it does not widen every line.
    private static let widestName = 32

    init(
        _ credential: CredentialConfiguration, header: AuthorizationHeader, status: CredentialStatus?,
        now: ContinuousClock.Instant
    ) {
        scheme = credential.scheme
        name = credential.name
        isOfRequest = !credential.parameters.isEmpty
        self.header = header
        self.status = status
        self.now = now
    }

    /// The field line with its value, as it is sent.
    package var fieldLine: String { "\(header.name): \(header.value)" }

    /// The report in lines; the value is hidden unless `reveals` is true.
    package func lines(reveals: Bool) -> [String] {
        var lines = [Self.line("credential", name)]
        lines.append(Self.line("field", reveals ? fieldLine : hiddenLine))
        if header.binding != nil {
            lines.append(
                Self.line(
                    "bound to",
                    "a key (dpop); each request also needs a proof, which attache run makes"))
        }
        lines += times
        guard let claims = TokenClaims(header.token) else {
            return lines + [Self.line("token", TokenClaims.opaqueText(of: header.token))]
        }
        lines.append(Self.line("token", "a JWT, \(claims.algorithm); its content is not verified here"))
        let width = claims.claims.map(\.name.count).filter { $0 <= Self.widestName }.max() ?? 0
        return lines
            + claims.claims.map { claim in
                let time = claim.timeText.map { "  (\($0))" } ?? ""
                return "  \(Self.padded(claim.name, to: width))  \(claim.text)\(time)"
            }
    }

    private var hiddenLine: String {
        guard header.binding == nil else { return "\(header.name): DPoP … (--reveal shows it)" }
        return "\(header.name): \(scheme.map { $0 + " " } ?? "")… (--reveal shows it, --header prints it alone)"
    }

    private var times: [String] {
        guard !isOfRequest else {
            return [
                Self.line("served for", seconds(until: header.usableUntil)),
                Self.line("renewed in", "\(seconds(until: header.askAgainAt)), when a request asks for it"),
            ]
        }
        let end = status?.expiresAt.map { seconds(until: $0) }
        let refresh = status?.refreshAt.map { Self.line("renewed in", seconds(until: $0)) }
        return [Self.line("served for", end ?? "as long as it exists")] + [refresh].compactMap(\.self)
    }

    private func seconds(until instant: ContinuousClock.Instant) -> String {
        "\(max(0, (instant - now).components.seconds)) s"
    }

    private static func line(_ label: String, _ text: String) -> String { padded(label, to: 12) + text }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
