import TokenManager

/// Reads a credential of type `mobileClientAccess`; `serverUrl`, `appId`, `clientId` and `secret` default to the
/// bound service's.
enum MobileClientAccessSection {
    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> MobileClientAccess? {
        let allowsPlaintext = keys.take(.allowPlaintext)?.boolean(context.problems) ?? false
        let settings = BoundDefaults(context)
        let url = settings.take(.serverUrl, \.serverURL, &keys)
            .flatMap { TokenServerSettings.url($0, allowsPlaintext: allowsPlaintext, context) }
        let appID = settings.take(.appId, \.appID, &keys)
            .flatMap { TokenServerSettings.parameterisable($0, what: "the app's identifier", context) }
        let authentication = authentication(&keys, settings, context)
        let tls = TokenServerSettings.tls(keys.take(.tls), toward: url.map { .url($0) }, context)
        guard let url, let appID, let authentication, let tls else { return nil }
        return MobileClientAccess(serverURL: url, appID: appID, authentication: authentication, tls: tls)
    }

    private static func authentication(
        _ keys: inout CredentialSection.Keys, _ settings: BoundDefaults, _ context: LoadContext
    ) -> MobileClientAccess.Authentication? {
        let certificate = keys.take(.certificate)
        let privateKey = keys.take(.privateKey)
        let properties = keys.take(.properties)
        guard certificate != nil || privateKey != nil else {
            if let properties {
                context.problems.add(
                    properties.place, "is sent only with a certificate; write certificate and privateKey")
            }
            let clientID = settings.take(.clientId, \.clientID, &keys)
                .flatMap { TokenServerSettings.clientID($0, isSentRaw: true, context) }
            let secret = settings.take(.secret, \.secret, &keys).flatMap { SecretSetting.read($0, context) }
            guard let clientID, let secret else { return nil }
            return .secret(clientID: clientID, secret)
        }
        for stray in [keys.take(.clientId), keys.take(.secret)].compactMap({ $0 }) {
            context.problems.add(stray.place, "has no effect with a certificate, which names the client; remove it")
        }
        guard let certificate, let privateKey else {
            let missing = certificate == nil ? "certificate" : "privateKey"
            context.problems.add(keys.place, "\(missing) is missing; certificate and privateKey belong together")
            return nil
        }
        let key = PEMSetting.key(privateKey, .rs256, context)
        let chain = PEMSetting.certificate(certificate, of: key, context)
        let text = properties.map { $0.text(context.problems, what: "the properties to send") }
        guard let key, let chain, text != .some(nil) else { return nil }
        return .certificate(chain, privateKey: key, properties: text ?? nil)
    }
}
