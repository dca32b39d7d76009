/// What a token server's answer other than success means: whether to ask again soon, and what a person can do.
struct Refusal {
    /// What to do about each error of RFC 6749 section 5.2, RFC 8707 and their kind.
    ///
    /// A server that answers with one of these does not change its mind by itself.
    private static let advices = [
        "invalid_client": "check clientId, the client's secret and clientAuthentication",
        "invalid_grant": "check clientId and what the server has registered for it",
        "invalid_request": "check scope, audience, resource and the extra parameters",
        "invalid_scope": "check scope, and what the server allows this client",
        "invalid_target": "check audience and resource",
        "unauthorized_client": "allow this client the client_credentials grant on the server",
        "unsupported_grant_type": "allow the client_credentials grant on the server",
        "access_denied": "check what the server allows this client",
    ]

    /// The server's `error` if it is a word that may be shown.
    let word: String?
    /// Asking again soon is of no use.
    let isDefinitive: Bool
    /// The status and the error.
    let summary: String
    /// What to do.
    let advice: String

    init(status: Int, code: String?, hiding secret: String) {
        let known = code.flatMap { Self.advices[$0] }
        // Lower case, as all registered errors are: Base64 of a secret that some server repeats does not pass.
        let plain = code.flatMap { $0 == $0.lowercased() ? FieldText.plainWord($0, hiding: [secret]) : nil }
        word = known == nil ? plain : code
        summary = word.map { "\(status) \($0)" } ?? (code == nil ? "\(status)" : "\(status) with an error")
        switch status {
        case 429:
            isDefinitive = false
            advice = "it asks for fewer requests; the next attempt waits"
        case 500...:
            isDefinitive = false
            advice = "it is tried again; look at the server's log if it stays"
        case 300...399:
            isDefinitive = false
            advice = "a redirect is never followed; give the address of the token endpoint itself"
        case 401, 403:
            isDefinitive = true
            advice = known ?? "check clientId, the client's secret and clientAuthentication"
        case 404, 405:
            isDefinitive = known != nil
            advice = known ?? "check the address of the token endpoint"
        default:
            isDefinitive = known != nil
            advice = known ?? "look at the server's log for the reason"
        }
    }
}
