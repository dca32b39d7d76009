import TokenManager

/// Reads a credential of type `appId`; missing keys come from the bound service.
enum AppIDSection {
    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> AppID? {
        let allowsPlaintext = keys.take(.allowPlaintext)?.boolean(context.problems) ?? false
        let settings = BoundDefaults(context)
        let url = url(&keys, settings, allowsPlaintext: allowsPlaintext, context)
        let clientID = settings.take(.clientId, \.clientID, &keys)
            .flatMap { TokenServerSettings.clientID($0, isSentRaw: true, context) }
        let secret = settings.take(.secret, \.secret, &keys).flatMap { SecretSetting.read($0, context) }
        let assertion = keys.take(.assertion)
            .map { AssertionSection.read($0, .subject(hasClient: true), context) }
        let tls = TokenServerSettings.tls(keys.take(.tls), toward: url.map { .url($0) }, context)
        guard let url, let clientID, let secret, assertion != .some(nil), let tls else { return nil }
        return AppID(
            oauthServerURL: url, clientID: clientID, clientSecret: secret, assertion: assertion ?? nil, tls: tls)
    }

    private static func url(
        _ keys: inout CredentialSection.Keys, _ settings: BoundDefaults, allowsPlaintext: Bool, _ context: LoadContext
    ) -> TokenURL? {
        let endpoint = keys.take(.endpoint)
        let tenant = keys.take(.tenantId)
        let version = keys.take(.version)
        guard endpoint != nil || tenant != nil || version != nil else {
            return settings.take(.oauthServerUrl, \.oauthServerURL, &keys)
                .flatMap { TokenServerSettings.url($0, allowsPlaintext: allowsPlaintext, context) }
        }
        if let whole = keys.take(.oauthServerUrl) {
            context.problems.add(
                whole.place, "is made of endpoint, version and tenantId too; keep one of the two forms")
            return nil
        }
        guard let endpoint, let tenant else {
            let missing = endpoint == nil ? "endpoint" : "tenantId"
            context.problems.add(keys.place, "\(missing) is missing; endpoint and tenantId belong together")
            return nil
        }
        let base = TokenServerSettings.url(endpoint, allowsPlaintext: allowsPlaintext, context)
        let tenantID = TokenServerSettings.constant(tenant, what: "the tenant's identifier", context)
        let number = version.map { $0.integer(1...99, context.problems) } ?? 4
        guard let base, let tenantID, let number else { return nil }
        return AppID.oauthServerURL(endpoint: base, version: number, tenantID: tenantID)
    }
}

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
