/// What a token server's error response means: whether to ask again soon, and what a person can do.
struct ErrorAnswer {
    /// What to do about each error of RFC 6749 section 5.2, RFC 8707 and related documents.
    ///
    /// A server that answers with one of these keeps doing so until somebody changes a setting.
    private static func advice(for code: String, _ kind: GrantKind, _ clientAdvice: String) -> String? {
        switch code {
        case "invalid_client": clientAdvice
        case "invalid_grant": kind.advice
        case "invalid_request": "check scope, audience, resource and the extra parameters"
        case "invalid_scope": "check scope, and what the server allows this client"
        case "invalid_target": "check audience and resource"
        case "unauthorized_client", "unsupported_grant_type": "allow this client the \(kind.name) grant on the server"
        case "access_denied": "check what the server allows this client"
        default: nil
        }
    }

    /// Whether an error concerns the proof of possession and not the client (RFC 9449 sections 5 and 8).
    private static func isOfProof(_ code: String?) -> Bool {
        code == "invalid_dpop_proof" || code == "use_dpop_nonce"
    }

    /// The server's `error` if it is a word that may be shown.
    let word: String?
    /// Whether it is useless to ask again soon.
    let isDefinitive: Bool
    /// The status, the error and its description.
    let summary: String
    /// What to do.
    let advice: String

    /// - Parameters:
    ///   - status: The response's status.
    ///   - code: Its `error`, if there is one.
    ///   - description: Its `error_description`, if there is one.
    ///   - kind: The kind of grant.
    ///   - clientAdvice: What to do when the server refuses the client.
    ///   - isBound: Whether the request held a proof of possession.
    ///   - isRateLimited: Whether the response refuses this one request because there were too many.
    ///   - hidden: Texts that no message may contain.
    init(
        status: Int, code: String?, description: String?, _ kind: GrantKind, clientAdvice: String, isBound: Bool,
        isRateLimited: Bool = false, hiding hidden: [String]
    ) {
        let known = code.flatMap { Self.advice(for: $0, kind, clientAdvice) }
        // Lower case, as all registered errors are: the Base64 of a secret that some server repeats is refused.
        let plain = code.flatMap { $0 == $0.lowercased() ? FieldText.plainWord($0, hiding: hidden) : nil }
        word = known == nil ? plain : code
        let error = word.map { "\(status) \($0)" } ?? (code == nil ? "\(status)" : "\(status) with an error")
        let shown = description.flatMap { ErrorDescription.shown($0, hiding: hidden) }
        summary = shown.map { "\(error), \($0)" } ?? error
        switch status {
        case _ where status == 429 || isRateLimited:
            isDefinitive = false
            advice = "the server asks for fewer requests; attache waits before the next attempt"
        case 500...:
            isDefinitive = false
            advice = "attache tries again; if the error persists, look at the server's log"
        case 300...399:
            isDefinitive = false
            advice = "a redirect is never followed; give the address of the token endpoint itself"
        case _ where Self.isOfProof(code) && !isBound:
            isDefinitive = true
            advice = "it requires a proof of possession: set dpop"
        case _ where code == "invalid_dpop_proof":
            // The next proof has another time and another identifier.
            isDefinitive = false
            advice =
                "attache tries again with a new proof; if the error persists, compare this machine's clock with the server's, "
                + "and check the key of dpop"
        case _ where code == "use_dpop_nonce":
            // If the first such response brought a nonce, the request was repeated once already.
            isDefinitive = false
            advice =
                "attache tries again with the server's newest nonce; if the error persists, check that the server sends a "
                + "DPoP-Nonce"
        case 401, 403:
            isDefinitive = true
            advice = known ?? clientAdvice
        case 404, 405:
            isDefinitive = known != nil
            advice = known ?? "check the address of the token endpoint"
        default:
            isDefinitive = known != nil
            advice = known ?? "look at the server's log for the reason"
        }
    }
}

/// A token server's `error_description` (RFC 6749 section 5.2) in a form that may be shown: short, plain and without
/// any part of a secret.
package enum ErrorDescription {
    /// The longest description that is shown, in characters.
    static let longest = 200
    /// A longer word may be a token or a key; a UUID has 36 characters.
    static let longestWord = 36
    /// This many characters of a secret in a row count as a part of it, in any case of letters.
    static let secretPart = 8
    /// The longest description that is read, in characters.
    private static let longestRead = 4096

    /// The description in quotes; nil if nothing can be shown or it contains a part of a secret.
    static func shown(_ text: String, hiding hidden: [String]) -> String? {
        guard text.utf8.count <= longestRead, !holdsPart(of: hidden, text) else { return nil }
        let words = text.utf8.split { $0 <= 0x20 || $0 == 0x7f }.map { word in
            // RFC 6749 allows ASCII without these two, which would need escapes in logs and fields.
            let plain = word.filter {
                (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
            return plain.count > longestWord ? "..." : String(decoding: plain, as: UTF8.self)
        }.filter { !$0.isEmpty }
        var shown = words.joined(separator: " ")
        guard !shown.isEmpty, !holdsPart(of: hidden, shown) else { return nil }
        if shown.utf8.count > longest {
            shown = String(decoding: shown.utf8.prefix(longest - 3), as: UTF8.self) + "..."
        }
        return "\"\(shown)\""
    }

    /// Whether a text contains eight characters in a row of one of the secrets, or all of a shorter one.
    package static func holdsPart(of hidden: [String], _ text: String) -> Bool {
        let text = Array(text.lowercased().utf8)
        var parts: Set<UInt64> = []
        forEachPart(of: text) { parts.insert($0) }
        return hidden.contains { secret in
            let secret = Array(secret.lowercased().utf8)
            if secret.count < secretPart { return !secret.isEmpty && isPart(secret, of: text) }
            var isFound = false
            forEachPart(of: secret) { if parts.contains($0) { isFound = true } }
            return isFound
        }
    }

    /// Calls `body` with every eight bytes in a row, as one number.
    private static func forEachPart(of text: [UInt8], _ body: (UInt64) -> Void) {
        var part: UInt64 = 0
        for (index, byte) in text.enumerated() {
            part = part << 8 | UInt64(byte)
            if index >= secretPart - 1 { body(part) }
        }
    }

    static func isPart(_ short: [UInt8], of text: [UInt8]) -> Bool {
        text.indices.contains { text[$0...].starts(with: short) }
    }
}

extension ClientAuthentication {
    /// What to do when the server refuses a client that authenticates in this way.
    var advice: String {
        switch self {
        case .basic:
            "check clientId and clientSecret, or write clientAuthentication: basicRaw or post in the configuration file"
        case .basicRaw: "check clientId and clientSecret, or write clientAuthentication: basic or post"
        case .post: "check clientId and clientSecret, or write clientAuthentication: basic"
        case .clientSecretJwt:
            "check clientId and clientSecret, the audience in clientAssertion, and this machine's clock"
        case .privateKeyJwt:
            "check clientId, the key that the server has for it, the audience in clientAssertion, and this machine's clock"
        case .mutualTls: "check clientId, and that the server knows the client certificate and it has not expired"
        case .none: "check clientId, and that the server accepts this client without a secret"
        }
    }
}
