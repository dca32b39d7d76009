import TokenManager

/// Reads one entry of `credentials`: the keys that every type has, and by its type the rest.
enum CredentialSection {
    private static let types = KnownWords.list(CredentialType.allCases.map(\.rawValue))

    typealias Keys = MappingReader<CredentialKey>

    static func read(_ setting: Setting, name: String, _ context: LoadContext) -> CredentialConfiguration? {
        guard var keys = Keys(setting, context.problems, quoting: .withValue),
            let typeSetting = keys.require(.type, "write \(types)"),
            let type = typeSetting.word(CredentialType.self, later: CredentialType.later, context.problems)
        else { return nil }
        let header = HeaderSetting.name(keys.take(.header), context)
        let scheme = HeaderSetting.scheme(keys.take(.scheme), context)
        keys.refuse(.upstreamProxy)
        let source = source(type, &keys, context)
        keys.finish(context: "of type \(type.rawValue)")
        guard let source, let header, let scheme else { return nil }
        return CredentialConfiguration(name: name, source: source, header: header, scheme: scheme.word)
    }

    private static func source(
        _ type: CredentialType, _ keys: inout Keys, _ context: LoadContext
    ) -> CredentialSource? {
        switch type {
        case .mobileClientAccess: MobileClientAccessSection.read(&keys, context).map { .mobileClientAccess($0) }
        case .appId: AppIDSection.read(&keys, context).map { .appId($0) }
        case .clientCredentials: ClientCredentialsSection.read(&keys, context).map { .clientCredentials($0) }
        case .file: file(&keys, context)
        case .static: fixed(&keys, context)
        }
    }

    private static func file(_ keys: inout Keys, _ context: LoadContext) -> CredentialSource? {
        let path = keys.require(.path, "write the path of the file that holds the token")
        guard let path, case .file(let path)? = SecretSetting.file(path, context) else { return nil }
        return .file(path: path)
    }

    private static func fixed(_ keys: inout Keys, _ context: LoadContext) -> CredentialSource? {
        let value = keys.require(.value, "write \(SecretSetting.forms)")
        return value.flatMap { SecretSetting.read($0, context) }.map { .fixed($0) }
    }
}
