import TokenManager

/// Reads a credential of type `clientCredentials`.
enum ClientCredentialsSection {
    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> ClientCredentials? {
        let problems = context.problems
        let allowsPlaintext = keys.take(.allowPlaintext)?.boolean(problems) ?? false
        keys.refuse(.issuer)
        let url = keys.require(.tokenUrl, "write the URL of the token endpoint")
            .flatMap { TokenServerSettings.url($0, allowsPlaintext: allowsPlaintext, context) }
        let authentication = self.authentication(keys.take(.clientAuthentication), context)
        let clientID = keys.require(.clientId, "write the client's identifier")
            .flatMap { TokenServerSettings.clientID($0, isSentRaw: authentication == .basicRaw, context) }
        let secret = keys.require(.clientSecret, "write \(SecretSetting.forms)")
            .flatMap { SecretSetting.read($0, context) }
        let scope = keys.take(.scope).flatMap { self.scope($0, context) }
        let audience = keys.take(.audience)
            .flatMap { TokenServerSettings.parameterisable($0, what: "for whom the token is", context) }
        let resource = keys.take(.resource).map { resources($0, context) } ?? []
        let parameters = keys.take(.parameters).map { TokenParameterSection.read($0, context) } ?? []
        let tls = TokenServerSettings.tls(keys.take(.tls), context)
        guard let url, let authentication, let clientID, let secret, let tls else { return nil }
        return ClientCredentials(
            tokenURL: url, clientID: clientID, clientSecret: secret, clientAuthentication: authentication,
            scope: scope, audience: audience, resource: resource, parameters: parameters, tls: tls)
    }

    /// RFC 6749 section 3.3: words of visible characters, without `"` and `\`, with one space between two.
    static func scope(_ setting: Setting, _ context: LoadContext) -> String? {
        guard let text = TokenServerSettings.parameterisable(setting, what: "scopes with a space between", context)
        else { return nil }
        let words = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let isScope = words.allSatisfy { word in
            !word.isEmpty && word.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }
        }
        guard isScope else {
            context.problems.add(
                setting.place, "is not a scope; write words of plain ASCII with one space between, as in read write")
            return nil
        }
        return text
    }

    private static func authentication(_ setting: Setting?, _ context: LoadContext) -> ClientAuthentication? {
        guard let setting else { return .basic }
        return setting.word(
            ClientAuthentication.self, later: ["privateKeyJwt", "mutualTls", "none"], context.problems)
    }

    private static func resources(_ setting: Setting, _ context: LoadContext) -> [String] {
        let what = "the resource that the token is for"
        guard case .sequence = setting.node.content else {
            return TokenServerSettings.parameterisable(setting, what: what, context).map { [$0] } ?? []
        }
        return (setting.items(context.problems) ?? [])
            .compactMap { TokenServerSettings.parameterisable($0, what: what, context) }
    }
}
