extension GrantDraft {
    /// The request for a credential's source; nil if its value is read and not fetched.
    init?(_ source: CredentialSource) {
        switch source {
        case .mobileClientAccess(let client): self.init(client)
        case .appId(let client): self.init(client)
        case .ibmIam(let client): self.init(client)
        case .clientCredentials(let client): self.init(client)
        case .jwtBearer(let client): self.init(client)
        case .tokenExchange(let client): self.init(client)
        case .refreshToken(let client): self.init(client)
        case .signedJwt(let assertion): self.init(token: assertion)
        case .githubApp(let app): self.init(app)
        case .metadata(let server): self.init(server)
        case .file: return nil
        case .fixed: return nil
        }
    }

    init(_ client: MobileClientAccess) {
        self.init(.clientCredentials, "client_credentials", at: .url(client.tokenURL), client.tls)
        switch client.authentication {
        case .secret(let clientID, let secret):
            authenticate(OAuthClient(id: clientID, authentication: .basicRaw(secret)))
            clientAdvice = "check appId, clientId and secret"
        case .certificate(let certificate, let privateKey, let properties):
            secrets[.assertionCertificate] = certificate
            secrets[.assertionKey] = privateKey
            proof = .imfCertificate
            clientAdvice = "check appId, certificate and privateKey"
            add("properties", properties)
        }
        if client.appID.isEmpty { problem = "appId is empty" }
    }

    init(_ client: AppID) {
        let isCustom = client.assertion != nil
        self.init(
            isCustom ? .jwtBearer : .clientCredentials, isCustom ? Self.jwtBearer : "client_credentials",
            at: .url(client.tokenURL), client.tls)
        if let assertion = client.assertion {
            add("assertion", assertion, client: client.clientID, isOfClient: false)
        }
        authenticate(OAuthClient(id: client.clientID, authentication: .basicRaw(client.clientSecret)))
        clientAdvice = "check clientId and secret"
    }

    init(_ client: IBMIAM) {
        self.init(.apikey, "urn:ibm:params:oauth:grant-type:apikey", at: .url(client.tokenURL), client.tls)
        add("apikey", .apikey, client.apikey)
        clientAdvice = "check the API key"
    }

    init(_ client: ClientCredentials) {
        self.init(.clientCredentials, "client_credentials", at: client.endpoint, client.tls)
        add(client.access)
        authenticate(client.client)
    }

    init(_ client: JWTBearer) {
        self.init(.jwtBearer, Self.jwtBearer, at: client.endpoint, client.tls)
        add("assertion", client.assertion, client: client.client?.id, isOfClient: false)
        add(client.access)
        authenticate(client.client)
    }

    init(_ exchange: TokenExchange) {
        self.init(
            .tokenExchange, "urn:ietf:params:oauth:grant-type:token-exchange", at: exchange.endpoint, exchange.tls)
        add("subject_token", .subjectToken, exchange.subject.value)
        add("subject_token_type", exchange.subject.type)
        if let actor = exchange.actor {
            if actor.value == nil { problem = "the actor's token cannot come from the request" }
            add("actor_token", .actorToken, actor.value)
            add("actor_token_type", actor.type)
        }
        add("requested_token_type", exchange.requestedTokenType)
        add(exchange.access)
        authenticate(exchange.client)
    }

    init(_ client: RefreshToken) {
        self.init(.refreshToken, "refresh_token", at: client.endpoint, client.tls)
        add("refresh_token", .refreshToken, .file(path: client.path))
        add(client.access)
        authenticate(client.client)
    }

    /// A JWT that is the token itself.
    init(token assertion: SignedAssertion) {
        self.init(.signature, .signature(AssertionTemplate(token: assertion)), at: nil, TLSSettings())
        secrets[.assertionKey] = assertion.privateKey
        secrets[.assertionCertificate] = assertion.certificate
    }

    init(_ app: GitHubApp) {
        self.init(
            .installation, .installation(AssertionTemplate(gitHubApp: app.appID), json: app.request),
            at: .url(app.tokenURL), app.tls)
        secrets[.assertionKey] = app.privateKey
        clientAdvice = GrantKind.installation.advice
        if app.appID.isEmpty { problem = "appId is empty" }
    }

    init(_ server: MetadataServer) {
        self.init(.metadata, .query(server.provider.demandedField), at: .url(server.tokenURL), TLSSettings())
        for parameter in server.provider.query { form.append(.constant(parameter)) }
        clientAdvice = GrantKind.metadata.advice
    }

    private static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
}
