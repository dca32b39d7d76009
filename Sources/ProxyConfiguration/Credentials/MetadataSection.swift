import TokenManager

/// Reads a credential of type `metadata`.
enum MetadataSection {
    private enum Cloud: String, CaseIterable {
        case google
        case azure
    }

    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> MetadataServer? {
        let problems = context.problems
        let allowsPlaintext = keys.take(.allowPlaintext)?.boolean(problems) ?? false
        let url = address(keys.take(.endpoint), allowsPlaintext: allowsPlaintext, context)
        let cloud = keys.require(.provider, "write google or azure").flatMap { $0.word(Cloud.self, problems) }
        let provider: MetadataServer.Provider?
        switch cloud {
        case .google?:
            let scope = keys.take(.scope).map { TokenServerSettings.constant($0, what: "scopes", context) }
            provider = scope == .some(nil) ? nil : .google(scopes: words(scope ?? nil))
        case .azure?:
            let resource = keys.require(.resource, "write the URI of the API that the token is for")
                .flatMap { TokenServerSettings.constant($0, what: "the URI of an API", context) }
            let client = keys.take(.clientId)
                .map { TokenServerSettings.constant($0, what: "the managed identity's client identifier", context) }
            provider =
                client == .some(nil) ? nil : resource.map { .azure(resource: $0, clientID: client ?? nil) }
        case nil: provider = nil
        }
        guard let url, let provider else { return nil }
        return MetadataServer(url: url, provider: provider)
    }

    /// The clouds' own address lies on the same host, so plain text is no danger there; another one is checked.
    private static func address(
        _ setting: Setting?, allowsPlaintext: Bool, _ context: LoadContext
    ) -> TokenURL? {
        guard let setting else { return try? TokenURL(MetadataServer.address) }
        let isOwn =
            if case .scalar(let text, _) = setting.node.content { text == MetadataServer.address } else { false }
        return TokenServerSettings.url(setting, allowsPlaintext: allowsPlaintext || isOwn, context)
    }

    private static func words(_ scope: String?) -> [String] {
        (scope ?? "").split(separator: " ").map(String.init)
    }
}
