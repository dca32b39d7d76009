import TokenManager

/// Reads the client of a token server: `clientId`, `clientAuthentication` and the keys that it needs.
enum ClientSection {
    enum Method: String, CaseIterable {
        case basic
        case basicRaw
        case post
        case clientSecretJwt
        case privateKeyJwt
        case mutualTls
        case none

        /// The names of the methods in OAuth's registry, servers' metadata and other clients.
        static let registered: [String: Method] = [
            "client_secret_basic": .basic, "client_secret_post": .post, "client_secret_jwt": .clientSecretJwt,
            "private_key_jwt": .privateKeyJwt, "tls_client_auth": .mutualTls, "self_signed_tls_client_auth": .mutualTls,
        ]
    }

    /// The client of a grant that requires one.
    static func read(
        _ keys: inout CredentialSection.Keys, _ tls: TLSSettings?, _ context: LoadContext
    ) -> OAuthClient? {
        let id = keys.require(.clientId, "write the client's identifier")
        return read(id, &keys, tls, context)
    }

    /// The client of a grant that works without one; `.some(nil)` without a client, nil after a problem.
    static func readOptional(
        _ keys: inout CredentialSection.Keys, _ tls: TLSSettings?, _ context: LoadContext
    ) -> OAuthClient?? {
        if let id = keys.take(.clientId) {
            guard let client = read(id, &keys, tls, context) else { return nil }
            return .some(client)
        }
        let stray = [keys.take(.clientAuthentication), keys.take(.clientSecret), keys.take(.clientAssertion)]
        for setting in stray.compactMap({ $0 }) {
            context.problems.add(setting.place, "belongs to a client that is not named; write its clientId")
        }
        return stray.allSatisfy { $0 == nil } ? .some(nil) : nil
    }

    private static func read(
        _ id: Setting?, _ keys: inout CredentialSection.Keys, _ tls: TLSSettings?, _ context: LoadContext
    ) -> OAuthClient? {
        let setting = keys.take(.clientAuthentication)
        let method = setting.map { $0.word(Method.self, elsewhere: Method.registered, context.problems) } ?? .basic
        let clientID = id.flatMap {
            TokenServerSettings.clientID($0, isSentRaw: method == .basicRaw, context)
        }
        guard let method else {
            // The other keys of the client cannot be checked without the method.
            _ = (keys.take(.clientSecret), keys.take(.clientAssertion))
            return nil
        }
        let authentication = authentication(method, &keys, tls, context)
        guard let clientID, let authentication else { return nil }
        return OAuthClient(id: clientID, authentication: authentication)
    }

    private static func authentication(
        _ method: Method, _ keys: inout CredentialSection.Keys, _ tls: TLSSettings?, _ context: LoadContext
    ) -> ClientAuthentication? {
        switch method {
        case .basic, .basicRaw, .post:
            refuse(.clientAssertion, of: method, &keys, context)
            guard let secret = secret(&keys, context) else { return nil }
            if method == .post { return .post(secret) }
            return method == .basic ? .basic(secret) : .basicRaw(secret)
        case .clientSecretJwt:
            let audience = keys.take(.clientAssertion).map { AssertionSection.audience($0, context) } ?? .some(nil)
            let setting = keys.require(.clientSecret, "write \(SecretSetting.forms)")
            guard let setting, let secret = SecretSetting.read(setting, context), let audience else { return nil }
            SigningWarning.look(atSecret: secret, setting.place, context)
            return .clientSecretJwt(secret, audience: audience)
        case .privateKeyJwt:
            refuse(.clientSecret, of: method, &keys, context)
            return keys.require(.clientAssertion, "write { privateKey: { file: … } }, or { file: … } of a finished one")
                .flatMap { AssertionSection.read($0, .client, context) }.map { .privateKeyJwt($0) }
        case .mutualTls:
            refuse(.clientSecret, of: method, &keys, context)
            refuse(.clientAssertion, of: method, &keys, context)
            if let tls, tls.clientCertificate == nil {
                context.problems.add(
                    keys.place, "tls.clientCertificate is missing; mutualTls needs it, and tls.clientKey")
                return nil
            }
            return .mutualTls
        case .none:
            refuse(.clientSecret, of: method, &keys, context)
            refuse(.clientAssertion, of: method, &keys, context)
            return ClientAuthentication.none
        }
    }

    private static func secret(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> Secret? {
        keys.require(.clientSecret, "write \(SecretSetting.forms)").flatMap { SecretSetting.read($0, context) }
    }

    /// Reports a key that has no effect with this method.
    private static func refuse(
        _ key: CredentialKey, of method: Method, _ keys: inout CredentialSection.Keys, _ context: LoadContext
    ) {
        guard let setting = keys.take(key) else { return }
        context.problems.add(setting.place, "has no effect with clientAuthentication \(method.rawValue); remove it")
    }
}

/// Reads a credential of type `clientCredentials`.
enum ClientCredentialsSection {
    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> ClientCredentials? {
        let endpoint = EndpointSetting.read(&keys, context)
        let tls = TokenServerSettings.tls(keys.take(.tls), toward: endpoint, context)
        let client = ClientSection.read(&keys, tls, context)
        let access = AccessSection.read(&keys, context)
        guard let endpoint, let client, let tls else { return nil }
        return ClientCredentials(endpoint: endpoint, client: client, access: access, tls: tls)
    }
}
