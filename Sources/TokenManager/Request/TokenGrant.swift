import Signing

/// A token request without its secrets: the form, the endpoint, and how the client authenticates.
package struct TokenGrant: Sendable, Hashable {
    /// What is sent for a token.
    package enum Exchange: Sendable, Hashable {
        /// The form of RFC 6749, by POST.
        case form
        /// A query, by GET with this field, as the metadata servers of clouds demand.
        case query(TokenParameter)
        /// JSON to GitHub's API, authorised by this JWT, for a token of an app's installation.
        case installation(AssertionTemplate, json: String)
        /// Nothing, as no server is asked: this JWT is the token.
        case signature(AssertionTemplate)

        /// The JWT that is signed for each exchange, beside those of the form.
        var template: AssertionTemplate? {
            switch self {
            case .form, .query: nil
            case .installation(let template, _), .signature(let template): template
            }
        }
    }

    /// One field of the form.
    package enum Field: Sendable, Hashable {
        case constant(TokenParameter)
        case secret(String, SecretRole)
        case assertion(String, AssertionTemplate)

        var name: String {
            switch self {
            case .constant(let parameter): parameter.name
            case .secret(let name, _): name
            case .assertion(let name, _): name
            }
        }
    }

    /// A client authentication outside the form.
    package enum Proof: Sendable, Hashable {
        case none
        /// HTTP Basic; raw or form-encoded.
        case basic(user: String, isRaw: Bool)
        /// The signature of Mobile Client Access; the certificate's common name becomes the form's `client_id`.
        case imfCertificate
        /// The certificate of the TLS connection.
        case clientCertificate
    }

    package let exchange: Exchange
    /// Nil if no server is asked.
    package let endpoint: TokenEndpoint?
    package let proof: Proof
    /// The fields in the order in which they are sent.
    package let form: [Field]
    package let caFile: String?
    /// Every secret that the request needs.
    package let roles: [SecretRole]
    /// What this kind of grant needs from its owner and from the server, for messages.
    let kind: GrantKind
    /// What to do when the server refuses the client.
    let clientAdvice: String
    private let settingsProblem: String?

    init(_ draft: GrantDraft) {
        exchange = draft.exchange
        endpoint = draft.endpoint
        proof = draft.proof
        form = draft.form
        caFile = draft.caFile
        roles = SecretRole.allCases.filter { draft.secrets[$0] != nil }
        kind = draft.kind
        clientAdvice = draft.clientAdvice
        settingsProblem = draft.problem
    }

    /// Why this grant cannot be requested; nil if it can.
    package var problem: String? {
        if let settingsProblem { return settingsProblem }
        if case .basic(let user, isRaw: true) = proof, user.contains(":") {
            // RFC 7617 section 2: a recipient reads the first colon as the end of the identifier.
            return "clientId contains a colon, which HTTP Basic cannot carry unencoded"
        }
        if proof == .clientCertificate, !roles.contains(.tlsCertificate) {
            return "mutualTls needs a client certificate"
        }
        if let problem = exchange.template?.problem { return problem }
        var seen: Set<String> = []
        for field in form {
            if field.name.isEmpty { return "a parameter has an empty name" }
            if case .assertion(_, let template) = field, let problem = template.problem { return problem }
            guard field.name != "resource", !seen.insert(field.name).inserted else { continue }
            // RFC 6749 section 3.2: parameters must not be included more than once.
            return "the parameter \(field.name) is given twice or is set by other keys"
        }
        return nil
    }
}

/// Identifies a token: credentials with equal keys share one token and one fetch.
///
/// The secrets take part as a digest. So a changed secret makes another key, and no table holds a secret itself.
package struct TokenKey: Sendable, Hashable {
    package let grant: TokenGrant
    private let version: SecretVersion

    package init(grant: TokenGrant, secrets: SecretTexts) {
        self.grant = grant
        version = SecretVersion(secrets)
    }
}

/// Distinguishes secrets without holding them; a weak secret could be guessed from it, so no description shows it.
private struct SecretVersion: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    private let digest: SHA256

    init(_ secrets: SecretTexts) {
        var text: [UInt8] = []
        for (role, secret) in secrets.sorted {
            // With its length, so that no two lists of texts make the same bytes.
            text += "\(role.rawValue) \(secret.value.utf8.count):\(secret.value)".utf8
        }
        digest = SHA256(of: text)
    }

    var description: String { "<redacted>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
