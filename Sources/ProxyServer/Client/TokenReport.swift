import TokenManager

/// What there is to say of a credential's value: times and claims, and the value itself only where it is asked for.
package struct TokenReport: Sendable {
    private let name: String
    private let header: AuthorizationHeader
    /// The word that is known to stand before the secret part; nil where all of the value is secret.
    private let scheme: String?
    private let status: CredentialStatus?
    private let now: ContinuousClock.Instant

    /// Claims with longer names stand out, so that one of them does not widen every line.
    private static let widestName = 32

    init(
        name: String, header: AuthorizationHeader, scheme: String?, status: CredentialStatus?,
        now: ContinuousClock.Instant
    ) {
        self.scheme = scheme
        self.name = name
        self.header = header
        self.status = status
        self.now = now
    }

    /// The field line as it is sent, with the value.
    package var fieldLine: String { "\(header.name): \(header.value)" }

    /// The report in lines, the value hidden unless it `reveals`.
    package func lines(reveals: Bool) -> [String] {
        var lines = [Self.line("credential", name)]
        let hidden = "\(header.name): \(scheme.map { $0 + " " } ?? "")… (--reveal shows it, --header prints it alone)"
        lines.append(Self.line("field", reveals ? fieldLine : hidden))
        lines.append(Self.line("served for", status?.expiresAt.map { seconds(until: $0) } ?? "as long as it is there"))
        if let refreshAt = status?.refreshAt { lines.append(Self.line("renewed in", seconds(until: refreshAt))) }
        // The value may bring its scheme along.
        let token = header.value.split(separator: " ", maxSplits: 1).last.map(String.init) ?? ""
        guard let claims = TokenClaims(token) else {
            return lines + [Self.line("token", "opaque, \(token.utf8.count) characters")]
        }
        lines.append(Self.line("token", "a JWT, \(claims.algorithm); what it says is not verified here"))
        let width = claims.claims.map(\.name.count).filter { $0 <= Self.widestName }.max() ?? 0
        return lines
            + claims.claims.map { claim in
                let time = claim.time.flatMap(TimestampClock.text(ofSecond:)).map { "  (\($0))" } ?? ""
                return "  \(Self.padded(claim.name, to: width))  \(claim.text)\(time)"
            }
    }

    private func seconds(until instant: ContinuousClock.Instant) -> String {
        "\(max(0, (instant - now).components.seconds)) s"
    }

    private static func line(_ label: String, _ text: String) -> String { padded(label, to: 12) + text }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
