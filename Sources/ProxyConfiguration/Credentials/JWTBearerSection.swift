import TokenManager

/// Reads a credential of type `jwtBearer`.
enum JWTBearerSection {
    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> JWTBearer? {
        let endpoint = EndpointSetting.read(&keys, context)
        let tls = TokenServerSettings.tls(keys.take(.tls), toward: endpoint, context)
        let client = ClientSection.readOptional(&keys, tls, context)
        // A client with a problem still counts as a client.
        let hasClient = client != .some(nil)
        let assertion = keys.require(.assertion, "write { file: … }, or { privateKey: { file: … } } to sign one here")
            .flatMap { AssertionSection.read($0, .subject(hasClient: hasClient), context) }
        let access = AccessSection.read(&keys, context)
        guard let endpoint, let client, let assertion, let tls else { return nil }
        return JWTBearer(endpoint: endpoint, client: client, assertion: assertion, access: access, tls: tls)
    }
}
