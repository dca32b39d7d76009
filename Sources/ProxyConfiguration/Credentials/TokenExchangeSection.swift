import TokenManager

/// Reads a credential of type `tokenExchange`.
enum TokenExchangeSection {
    private static let prefix = "urn:ietf:params:oauth:token-type:"
    private static let words = ["jwt", "access_token", "refresh_token", "id_token", "saml1", "saml2"]

    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> TokenExchange? {
        let endpoint = EndpointSetting.read(&keys, context)
        let tls = TokenServerSettings.tls(keys.take(.tls), toward: endpoint, context)
        let client = ClientSection.readOptional(&keys, tls, context)
        let subject = subject(
            keys.require(
                .subjectToken,
                "write { file: … } of the token to exchange, or { header: Authorization } for the app's own"),
            keys.take(.subjectTokenType), context)
        let actorSetting = keys.take(.actorToken)
        let actorType = keys.take(.actorTokenType)
        if let actorType, actorSetting == nil {
            context.problems.add(actorType.place, "is set without actorToken; write actorToken too")
        }
        let actor = actorSetting.map { token($0, actorType, context) }
        let requested = keys.take(.requestedTokenType).map { type($0, context) }
        let access = AccessSection.read(&keys, context)
        guard let endpoint, let client, let subject, actor != .some(nil), requested != .some(nil), let tls else {
            return nil
        }
        return TokenExchange(
            endpoint: endpoint, client: client, subject: subject, actor: actor ?? nil,
            requestedTokenType: requested ?? nil, access: access, tls: tls)
    }

    private enum SubjectKey: String, CaseIterable {
        case header
    }

    /// A configured token, or the token of the request.
    private static func subject(
        _ value: Setting?, _ typeSetting: Setting?, _ context: LoadContext
    ) -> TokenExchange.Token? {
        guard let value, case .mapping(let entries) = value.node.content,
            entries.contains(where: { $0.key == SubjectKey.header.rawValue })
        else { return token(value, typeSetting, context) }
        let type = typeSetting.map { self.type($0, context) } ?? TokenExchange.Token.accessToken
        guard var keys = MappingReader<SubjectKey>(value, context.problems, quoting: .never) else { return nil }
        let header = keys.take(.header)
        keys.finish(context: "of a subject token from the request")
        guard let header, let name = header.text(context.problems, what: "Authorization"), let type else { return nil }
        guard name.lowercased() == "authorization" else {
            header.refuse(context.problems, "is not the field that carries the app's token; write Authorization")
            return nil
        }
        return .ofRequest(type: type)
    }

    private static func token(
        _ value: Setting?, _ typeSetting: Setting?, _ context: LoadContext
    ) -> TokenExchange.Token? {
        let secret = value.flatMap { SecretSetting.read($0, context) }
        let type = typeSetting.map { self.type($0, context) } ?? TokenExchange.Token.jwt
        guard let secret, let type else { return nil }
        return TokenExchange.Token(secret, type: type)
    }

    /// A URI, or the last word of a URI that RFC 8693 section 3 registers.
    private static func type(_ setting: Setting, _ context: LoadContext) -> String? {
        guard let text = setting.text(context.problems, what: "the type of a token") else { return nil }
        if words.contains(text) { return prefix + text }
        guard text.contains(":"), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            setting.refuse(context.problems, "is not a type of token; write \(KnownWords.list(words)), or a URI")
            return nil
        }
        return text
    }
}
