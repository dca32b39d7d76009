import TokenManager

/// Reads a credential of type `githubApp`.
enum GitHubAppSection {
    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> GitHubApp? {
        let problems = context.problems
        let allowsPlaintext = keys.take(.allowPlaintext)?.boolean(problems) ?? false
        let address = keys.take(.endpoint) ?? Setting(text: GitHubApp.publicAPI, place: keys.place)
        let url = TokenServerSettings.url(address, allowsPlaintext: allowsPlaintext, context)
        let appID = keys.require(.appId, "write the app's number or client ID")
            .flatMap { TokenServerSettings.constant($0, what: "the app's identifier", context) }
        let installation = keys.require(.installationId, "write the number at the end of the installation's address")
            .flatMap { $0.integer(1...Int.max, problems) }
        let key = keys.require(.privateKey, "write { file: … } of the app's key in PEM")
            .flatMap { PEMSetting.key($0, .rs256, context) }
        let repositories = keys.take(.repositories).map { names($0, context) } ?? []
        let permissions = keys.take(.permissions).map { TokenParameterSection.read($0, reserved: [], context) } ?? []
        let tls = TokenServerSettings.tls(keys.take(.tls), toward: url.map { .url($0) }, context)
        guard let url, let appID, let installation, let key, let repositories, let tls else { return nil }
        return GitHubApp(
            apiURL: url, appID: appID, installationID: installation, privateKey: key, repositories: repositories,
            permissions: permissions, tls: tls)
    }

    private static func names(_ setting: Setting, _ context: LoadContext) -> [String]? {
        guard let items = setting.items(context.problems) else { return nil }
        guard !items.isEmpty else {
            context.problems.add(setting.place, "is empty; write the names of repositories or leave the key out")
            return nil
        }
        var names: [String] = []
        for item in items {
            let name = item.parsed(context.problems, what: "a repository's name") { (text) throws(ValueError) in
                guard !text.contains("/") else {
                    throw ValueError("has an owner; write the name without the owner")
                }
                return text
            }
            guard let name else { return nil }
            names.append(name)
        }
        return names
    }
}
