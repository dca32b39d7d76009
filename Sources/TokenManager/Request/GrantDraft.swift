import Signing

/// A token request while it is built from a source's settings; its secrets go to the record, the rest to the grant.
struct GrantDraft {
    static let assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    let exchange: TokenGrant.Exchange
    let endpoint: TokenEndpoint?
    let kind: GrantKind
    var proof = TokenGrant.Proof.none
    var form: [TokenGrant.Field] = []
    var caFile: String?
    var secrets: [SecretRole: Secret] = [:]
    var problem: String?
    var clientAdvice = "write the clientId of a client that the server knows, and its secret or key"

    init(_ kind: GrantKind, _ exchange: TokenGrant.Exchange, at endpoint: TokenEndpoint?, _ tls: TLSSettings) {
        self.kind = kind
        self.exchange = exchange
        self.endpoint = endpoint
        caFile = tls.caFile
        if let certificate = tls.clientCertificate {
            secrets[.tlsCertificate] = certificate.certificate
            secrets[.tlsKey] = certificate.privateKey
        }
    }

    init(_ kind: GrantKind, _ grantType: String, at endpoint: TokenEndpoint, _ tls: TLSSettings) {
        self.init(kind, .form, at: endpoint, tls)
        add("grant_type", grantType)
    }

    mutating func add(_ name: String, _ value: String?) {
        if let value { form.append(.constant(TokenParameter(name: name, value: value))) }
    }

    /// Adds a field with a secret; without a secret, each request brings its own.
    mutating func add(_ name: String, _ role: SecretRole, _ secret: Secret?) {
        secrets[role] = secret
        form.append(.secret(name, role))
    }

    mutating func add(_ name: String, _ assertion: Assertion, client: String?, isOfClient: Bool) {
        switch assertion {
        case .value(let secret): add(name, isOfClient ? .clientAssertion : .assertion, secret)
        case .signed(let settings):
            let key: SecretRole = isOfClient ? .clientAssertionKey : .assertionKey
            let certificate: SecretRole = isOfClient ? .clientAssertionCertificate : .assertionCertificate
            secrets[key] = settings.privateKey
            secrets[certificate] = settings.certificate
            form.append(
                .assertion(name, AssertionTemplate(settings, client: client, key: key, certificate: certificate)))
        }
    }

    mutating func add(_ access: RequestedAccess) {
        add("scope", access.scope)
        add("audience", access.audience)
        for resource in access.resource { add("resource", resource) }
        form += access.parameters.map { .constant($0) }
        let reserved = access.parameters.first { Self.isOfClient($0.name) }
        if let reserved { problem = "the parameter \(reserved.name) is given twice or is set by other keys" }
    }

    mutating func authenticate(_ client: OAuthClient?) {
        guard let client else { return }
        if client.id.isEmpty { problem = "clientId is empty" }
        clientAdvice = client.authentication.advice
        switch client.authentication {
        case .basic(let secret):
            secrets[.clientSecret] = secret
            proof = .basic(user: client.id, isRaw: false)
        case .basicRaw(let secret):
            secrets[.clientSecret] = secret
            proof = .basic(user: client.id, isRaw: true)
        case .post(let secret):
            add("client_id", client.id)
            add("client_secret", .clientSecret, secret)
        case .clientSecretJwt(let secret, let audience):
            secrets[.clientSecret] = secret
            addAssertionType(client)
            form.append(.assertion("client_assertion", AssertionTemplate(client: client.id, audience: audience)))
        case .privateKeyJwt(let assertion):
            addAssertionType(client)
            add("client_assertion", assertion, client: client.id, isOfClient: true)
        case .mutualTls:
            add("client_id", client.id)
            proof = .clientCertificate
        case .none:
            add("client_id", client.id)
        }
    }

    /// Binds the tokens to a key; a generated key lives as long as the credential.
    mutating func bind(_ dpop: DPoP?) {
        switch dpop {
        case nil: break
        case .generated: secrets[.proofKey] = .literal(PrivateKey.makeP256())
        case .privateKey(let key): secrets[.proofKey] = key
        }
    }

    private mutating func addAssertionType(_ client: OAuthClient) {
        add("client_id", client.id)
        add("client_assertion_type", Self.assertionType)
    }

    /// Whether a field identifies or authenticates the client.
    private static func isOfClient(_ name: String) -> Bool {
        ["client_id", "client_secret", "client_assertion", "client_assertion_type"].contains(name)
    }
}

/// The kind of a grant, for messages about its refusal.
enum GrantKind: Sendable, Hashable {
    case clientCredentials
    case jwtBearer
    case tokenExchange
    case refreshToken
    case apikey
    case metadata
    case installation
    case signature

    /// The grant's name for administrators of authorization servers.
    var name: String {
        switch self {
        case .clientCredentials: "client_credentials"
        case .jwtBearer: "jwt-bearer"
        case .tokenExchange: "token-exchange"
        case .refreshToken: "refresh_token"
        case .apikey: "apikey"
        case .metadata: "metadata"
        case .installation: "installation"
        case .signature: "signedJwt"
        }
    }

    /// What to do when the server says that the grant itself is invalid.
    var advice: String {
        switch self {
        case .clientCredentials: "check clientId and what the server has registered for it"
        case .jwtBearer: "check the assertion: its issuer, subject, audience, key and times, and this machine's clock"
        case .tokenExchange: "check the subject token, the actor token and their types"
        case .refreshToken: "the refresh token has expired or was revoked: put a new one into its file"
        case .apikey: "check the API key"
        case .metadata: "check which identity the cloud has given this machine"
        case .installation: "check appId, installationId and privateKey"
        case .signature: "check the assertion"
        }
    }
}
