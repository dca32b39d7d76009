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
        keys.refuse(.upstreamProxy)
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
