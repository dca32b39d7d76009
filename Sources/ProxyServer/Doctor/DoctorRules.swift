import ProxyCore
import TokenManager

/// Decides what the steps of an examination say; knows no clock and no socket.
enum DoctorRules {
    /// What a backend's answers without and with the credential say.
    ///
    /// - Parameters:
    ///   - without: The status without the credential.
    ///   - with: The status with the credential; nil if the request was not sent.
    ///   - challenge: The backend's challenge in the answer with the credential.
    ///   - credential: The name of the credential.
    ///   - route: The name of the route.
    /// - Returns: What is wrong, or worth knowing.
    static func backend(
        without: Int?, with: Int?, challenge: String?, credential: String, route: String
    ) -> [Finding] {
        guard let with else { return [] }
        let subject = Finding.Subject.route(route)
        let compared = without.map { ", and \($0) without it" } ?? ""
        let statuses = "The backend answers \(with) with a token of credential \(credential)\(compared)."
        let asked = challenge.map { " Its challenge: \($0)." } ?? (with == 401 ? " It has no WWW-Authenticate." : "")
        switch with {
        case 401: return [Finding(.backendRefusesToken, .error, of: subject, statuses + asked)]
        case 403 where without == 403:
            return [
                Finding(
                    .backendDeniesAccess, .warning, of: subject,
                    "The backend answers 403 with and without the token, so the path may be forbidden to all." + asked)
            ]
        case 403: return [Finding(.backendDeniesAccess, .error, of: subject, statuses + asked)]
        case 500...: return [Finding(.backendFails, .warning, of: subject, statuses)]
        case _ where without.map { (200..<300).contains($0) } ?? false && (200..<300).contains(with):
            return [Finding(.backendOpen, .notice, of: subject, statuses)]
        case 300..<500 where without.map { $0 == with } ?? true:
            return [Finding(.tokenNotTested, .notice, of: subject, statuses)]
        default: return []
        }
    }

    /// The claims of a token that are no secret, with the life of the token.
    static func claims(of token: String) -> String {
        guard let claims = TokenClaims(token) else { return TokenClaims.opaqueText(of: token) }
        let shown = ["iss", "aud", "scope", "scp", "iat", "exp"].compactMap { name in
            claims.claims.first { $0.name == name }
        }
        let parts = shown.map { "\($0.name) \($0.timeText ?? $0.text)" }
        return (["a JWT (\(claims.algorithm))"] + parts).joined(separator: ", ")
    }

    /// When a token says that it was issued, in seconds since 1970.
    static func issueTime(of token: String) -> Double? {
        TokenClaims(token)?.claims.first { $0.name == "iat" }?.time
    }
}
