import TokenManager

/// Makes the credential `bound` from the bound service alone.
enum BoundCredential {
    static let name = "bound"

    /// The credential; nil without a bound service, or if the service is unusable, which is reported.
    static func make(allowsPlaintext: Bool, _ context: LoadContext) -> CredentialConfiguration? {
        guard let service = context.boundService else { return nil }
        let place = Place(path: service.path)
        func setting(_ key: String, _ text: String?) -> Setting? {
            if let text { return Setting(text: text, place: place.key(key)) }
            context.problems.add(place, "\(key) is missing; bind the app to the service again")
            return nil
        }
        func url(_ key: String, _ text: String?) -> TokenURL? {
            setting(key, text).flatMap {
                TokenServerSettings.url(
                    $0, allowsPlaintext: allowsPlaintext, advice: OptionName.allowPlaintext.advice, context)
            }
        }
        let clientID = setting("clientId", service.clientID)
            .flatMap { TokenServerSettings.clientID($0, isSentRaw: true, context) }
        let secret = setting("secret", service.secret).flatMap { SecretSetting.read($0, context) }
        let source: CredentialSource?
        if service.oauthServerURL != nil {
            let url = url("oauthServerUrl", service.oauthServerURL)
            guard let url, let clientID, let secret else { return nil }
            source = .appId(AppID(oauthServerURL: url, clientID: clientID, clientSecret: secret))
        } else {
            let url = url("serverUrl", service.serverURL)
            let appID = setting("tenantId", service.appID)?.text(context.problems)
            guard let url, let appID, let clientID, let secret else { return nil }
            source = .mobileClientAccess(
                MobileClientAccess(
                    serverURL: url, appID: appID, authentication: .secret(clientID: clientID, secret)))
        }
        return source.map { CredentialConfiguration(name: name, source: $0) }
    }
}

/// Reads a credential's keys from the file, or from the bound service if the file lacks them.
struct BoundDefaults {
    private let context: LoadContext

    init(_ context: LoadContext) {
        self.context = context
    }

    /// The value of `key`, reported as missing if neither has it.
    func take(
        _ key: CredentialKey, _ property: KeyPath<BoundService, String?>, _ keys: inout CredentialSection.Keys
    ) -> Setting? {
        if let setting = keys.take(key) { return setting }
        if let service = context.boundService, let text = service[keyPath: property] {
            return Setting(text: text, place: Place(path: service.path))
        }
        context.problems.add(
            keys.place, "\(key.rawValue) is missing; write it, or bind the app to the service (VCAP_SERVICES)")
        return nil
    }
}
