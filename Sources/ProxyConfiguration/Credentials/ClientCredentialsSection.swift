import TokenManager

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
