import Support

@testable import TokenManager

/// One source for every type and client authentication, and secrets for it.
enum SampleGrant {
    /// Every kind of source that asks a token server, each with this secret wherever one stands.
    static func sources(secret: Secret, access: RequestedAccess) throws -> [CredentialSource] {
        let url = try TokenURL("https://idp.test/token")
        let endpoint = TokenEndpoint.url(url)
        let tls = TLSSettings(clientCertificate: ClientCertificate(certificate: secret, privateKey: secret))
        let signed = Assertion.signed(SignedAssertion(privateKey: secret, certificate: secret))
        let methods: [ClientAuthentication] = [
            .basic(secret), .basicRaw(secret), .post(secret), .clientSecretJwt(secret), .privateKeyJwt(signed),
            .privateKeyJwt(.value(secret)), .mutualTls, .none,
        ]
        let clients = methods.map { OAuthClient(id: "cid", authentication: $0) }
        return clients.map {
            .clientCredentials(ClientCredentials(endpoint: endpoint, client: $0, access: access, tls: tls))
        } + [
            .mobileClientAccess(
                MobileClientAccess(serverURL: url, appID: "app", authentication: .secret(clientID: "cid", secret))),
            .mobileClientAccess(
                MobileClientAccess(
                    serverURL: url, appID: "app", authentication: .certificate(secret, privateKey: secret))),
            .appId(AppID(oauthServerURL: url, clientID: "cid", clientSecret: secret)),
            .appId(AppID(oauthServerURL: url, clientID: "cid", clientSecret: secret, assertion: signed)),
            .ibmIam(IBMIAM(tokenURL: url, apikey: secret)),
            .jwtBearer(JWTBearer(endpoint: endpoint, client: clients[0], assertion: signed, access: access)),
            .jwtBearer(JWTBearer(endpoint: endpoint, assertion: .value(secret), access: access)),
            .tokenExchange(
                TokenExchange(
                    endpoint: endpoint, client: clients[2], subject: TokenExchange.Token(secret),
                    actor: TokenExchange.Token(secret), access: access)),
            .refreshToken(RefreshToken(endpoint: endpoint, client: clients[7], path: "/refresh", access: access)),
        ]
    }

    /// A text for each secret of a request: keys and certificates where those belong.
    static func texts(for draft: GrantDraft, secret: String) -> SecretTexts {
        var texts = SecretTexts()
        for role in draft.secrets.keys {
            texts[role] =
                switch role {
                case .clientAssertionKey, .assertionKey, .tlsKey: SecretText(SampleKey.rsa.rawValue)
                case .clientAssertionCertificate, .assertionCertificate, .tlsCertificate:
                    SecretText(SampleKey.rsaCertificate.rawValue)
                default: SecretText(secret)
                }
        }
        return texts
    }
}
