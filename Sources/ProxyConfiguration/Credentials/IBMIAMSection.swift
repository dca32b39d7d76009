import TokenManager

/// Reads a credential of type `ibmIam`.
enum IBMIAMSection {
    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> IBMIAM? {
        let allowsPlaintext = keys.take(.allowPlaintext)?.boolean(context.problems) ?? false
        let url = keys.take(.tokenUrl) ?? Setting(text: IBMIAM.publicTokenURL, place: keys.place)
        let tokenURL = TokenServerSettings.url(url, allowsPlaintext: allowsPlaintext, context)
        let apikey = keys.require(.apikey, "write the API key, {file: path} or {env: NAME}")
            .flatMap { SecretSetting.read($0, context) }
        let tls = TokenServerSettings.tls(keys.take(.tls), toward: tokenURL.map { .url($0) }, context)
        guard let tokenURL, let apikey, let tls else { return nil }
        return IBMIAM(tokenURL: tokenURL, apikey: apikey, tls: tls)
    }
}
