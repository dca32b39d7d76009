import TokenManager

/// Reads a credential of type `mobileClientAccess`; each of its four keys defaults to the bound service's.
enum MobileClientAccessSection {
    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> MobileClientAccess? {
        let allowsPlaintext = keys.take(.allowPlaintext)?.boolean(context.problems) ?? false
        keys.refuse(.certificate)
        keys.refuse(.privateKey)
        let settings = BoundDefaults(context)
        let url = settings.take(.serverUrl, \.serverURL, &keys)
            .flatMap { TokenServerSettings.url($0, allowsPlaintext: allowsPlaintext, context) }
        let appID = settings.take(.appId, \.appID, &keys)
            .flatMap { TokenServerSettings.parameterisable($0, what: "the app's identifier", context) }
        let clientID = settings.take(.clientId, \.clientID, &keys)
            .flatMap { TokenServerSettings.clientID($0, isSentRaw: true, context) }
        let secret = settings.take(.secret, \.secret, &keys).flatMap { SecretSetting.read($0, context) }
        let tls = TokenServerSettings.tls(keys.take(.tls), context)
        guard let url, let appID, let clientID, let secret, let tls else { return nil }
        return MobileClientAccess(serverURL: url, appID: appID, clientID: clientID, clientSecret: secret, tls: tls)
    }
}
