import TokenManager

/// Reads one entry of `credentials`: the keys of every type, then those of its own.
enum CredentialSection {
    private static let types = KnownWords.list(CredentialType.allCases.map(\.rawValue))

    typealias Keys = MappingReader<CredentialKey>

    static func read(_ setting: Setting, name: String, _ context: LoadContext) -> CredentialConfiguration? {
        guard var keys = Keys(setting, context.problems, quoting: .withValue),
            let typeSetting = keys.require(.type, "write \(types)"),
            let type = typeSetting.word(CredentialType.self, context.problems)
        else { return nil }
        let field = (header: keys.take(.header), scheme: keys.take(.scheme))
        let header = HeaderSetting.name(field.header, context)
        let scheme = HeaderSetting.scheme(field.scheme, context)
        let isRequired = keys.take(.required).map { $0.boolean(context.problems) } ?? true
        let dpopSetting = type.isBindable ? keys.take(.dpop) : nil
        let dpop = DPoPSection.read(dpopSetting, context)
        if dpop != .some(nil), let stray = field.header ?? field.scheme {
            context.problems.add(
                stray.place, "has no effect with dpop, whose tokens go as Authorization: DPoP; remove it")
        }
        keys.refuse(.upstreamProxy, "is not a key of a credential; write tokenServerProxy at the top level of the file")
        let source = source(type, &keys, scheme, context)
        keys.finish(context: "of type \(type.rawValue)")
        guard let source, let header, let scheme, let isRequired, let dpop else { return nil }
        let credential = CredentialConfiguration(
            name: name, source: source, header: header, scheme: scheme.word, dpop: dpop,
            isRequired: isRequired)
        if let dpopSetting, credential.losesProofKey {
            context.problems.add(
                dpopSetting.place,
                "would bind a public client's refresh token to a key that ends with the process (RFC 9449 section 5); "
                    + "write dpop: { privateKey: { file: … } }")
            return nil
        }
        return credential
    }

    private static func source(
        _ type: CredentialType, _ keys: inout Keys, _ scheme: HeaderSetting.Scheme?, _ context: LoadContext
    ) -> CredentialSource? {
        switch type {
        case .mobileClientAccess: MobileClientAccessSection.read(&keys, context).map { .mobileClientAccess($0) }
        case .appId: AppIDSection.read(&keys, context).map { .appId($0) }
        case .ibmIam: IBMIAMSection.read(&keys, context).map { .ibmIam($0) }
        case .clientCredentials: ClientCredentialsSection.read(&keys, context).map { .clientCredentials($0) }
        case .jwtBearer: JWTBearerSection.read(&keys, context).map { .jwtBearer($0) }
        case .tokenExchange: TokenExchangeSection.read(&keys, context).map { .tokenExchange($0) }
        case .refreshToken: RefreshTokenSection.read(&keys, context).map { .refreshToken($0) }
        case .signedJwt: SignedJWTSection.read(&keys, context).map { .signedJwt($0) }
        case .githubApp: GitHubAppSection.read(&keys, context).map { .githubApp($0) }
        case .metadata: MetadataSection.read(&keys, context).map { .metadata($0) }
        case .file: file(&keys, context)
        case .static: fixed(&keys, scheme, context)
        }
    }

    private static func file(_ keys: inout Keys, _ context: LoadContext) -> CredentialSource? {
        let path = keys.require(.path, "write the path of the file that holds the token")
        guard let path, case .file(let path)? = SecretSetting.file(path, as: .lines, context) else { return nil }
        return .file(path: path)
    }

    private static func fixed(
        _ keys: inout Keys, _ scheme: HeaderSetting.Scheme?, _ context: LoadContext
    ) -> CredentialSource? {
        guard let value = keys.require(.value, "write \(SecretSetting.forms)"),
            let secret = SecretSetting.read(value, context)
        else { return nil }
        if case .literal(let text) = secret, let scheme,
            let problem = LocalValue.Reading.problem(text, scheme: scheme.word)
        {
            context.problems.add(value.place, problem)
            return nil
        }
        return .fixed(secret)
    }
}

/// Reads `header` and `scheme`: the field that carries a credential.
enum HeaderSetting {
    /// The word before the value, or nil for `none`.
    struct Scheme: Equatable {
        let word: String?
    }

    /// Nil if the value is unusable.
    static func name(_ setting: Setting?, _ context: LoadContext) -> String? {
        guard let setting else { return "Authorization" }
        guard let name = setting.text(context.problems, what: "a field name") else { return nil }
        guard FieldText.isToken(name) else {
            setting.refuse(context.problems, "is not a field name; write one as in X-Api-Key")
            return nil
        }
        guard !FieldText.isReserved(name) else {
            setting.refuse(context.problems, "names a field that the proxy writes itself; choose another")
            return nil
        }
        return name
    }

    /// Nil if the value is unusable.
    static func scheme(_ setting: Setting?, _ context: LoadContext) -> Scheme? {
        guard let setting else { return Scheme(word: "Bearer") }
        guard let word = setting.text(context.problems, what: "Bearer, another word or none") else { return nil }
        guard FieldText.isToken(word) else {
            setting.refuse(context.problems, "is not a single word; write Bearer, another word or none")
            return nil
        }
        return Scheme(word: word == "none" ? nil : word)
    }
}

/// Reads `credentials`: a mapping of names to credentials.
enum CredentialList {
    static func read(_ setting: Setting, into draft: inout Draft, _ context: LoadContext) {
        switch setting.node.content {
        case .mapping(let entries):
            for entry in entries { read(entry, in: setting.place, into: &draft, context) }
        case .scalar, .sequence:
            context.problems.add(
                setting.place,
                "is not a mapping; write a name and below it the credential, as in cloudant: { type: … }")
        case .refused: break
        }
    }

    private static func read(_ entry: YAMLEntry, in list: Place, into draft: inout Draft, _ context: LoadContext) {
        let isQuotable = KeyText.isWord(entry.key)
        let place = list.key(isQuotable ? entry.key : "?", at: entry.keyPosition)
        guard isQuotable, entry.key != "none" else {
            context.problems.add(
                place,
                "is not a name for a credential; write a word of letters and digits but not none"
                    + ValueQuotation.suffix(entry.key))
            return
        }
        guard !draft.credentialNames.contains(entry.key) else {
            context.problems.add(place, "is given twice; keep one")
            return
        }
        draft.credentialNames.append(entry.key)
        draft.credentialPlaces[entry.key] = place
        let valuePlace = Place(file: place.file, position: entry.value.position, path: place.path)
        let setting = Setting(node: entry.value, place: valuePlace)
        guard let credential = CredentialSection.read(setting, name: entry.key, context) else { return }
        if let file = refreshTokenFile(of: credential, context),
            let other = draft.credentials.first(where: { refreshTokenFile(of: $0, context) == file })
        {
            // Each of them would replace the other's refresh token, and fetch again when the other has written its own.
            context.problems.add(
                valuePlace.key(CredentialKey.refreshToken.rawValue, at: entry.value.position),
                "is in the file of credential \(other.name) too; give each credential a refresh token of its own")
        }
        draft.credentials.append(credential)
    }

    /// The file of a refresh token, whatever path names it.
    private static func refreshTokenFile(
        of credential: CredentialConfiguration, _ context: LoadContext
    ) -> String? {
        guard case .refreshToken(let client) = credential.source else { return nil }
        return context.files.identity(of: client.path)
    }
}

/// Every key of any type of credential, including those planned for later.
enum CredentialKey: String, CaseIterable {
    case type
    case header
    case scheme
    case required
    case dpop
    case allowPlaintext
    case tls
    case tokenUrl
    case issuer
    case clientId
    case clientSecret
    case clientAuthentication
    case clientAssertion
    case assertion
    case subjectToken
    case subjectTokenType
    case actorToken
    case actorTokenType
    case requestedTokenType
    case refreshToken
    case apikey
    case scope
    case audience
    case resource
    case parameters
    case appId
    case secret
    case serverUrl
    case oauthServerUrl
    case endpoint
    case version
    case tenantId
    case path
    case value
    case certificate
    case privateKey
    case properties
    case installationId
    case repositories
    case permissions
    case provider
    case upstreamProxy
}

/// The types of credentials.
enum CredentialType: String, CaseIterable {
    case mobileClientAccess
    case appId
    case ibmIam
    case clientCredentials
    case jwtBearer
    case tokenExchange
    case refreshToken
    case signedJwt
    case githubApp
    case metadata
    case file
    case `static`

    /// Whether its value comes from an authorization server, which may bind it to a key.
    var isBindable: Bool {
        switch self {
        case .signedJwt, .githubApp, .metadata, .file, .static: false
        case .mobileClientAccess, .appId, .ibmIam, .clientCredentials, .jwtBearer, .tokenExchange, .refreshToken: true
        }
    }
}
