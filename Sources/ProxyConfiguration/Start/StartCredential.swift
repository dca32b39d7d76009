import TokenManager

/// Makes the credential `default` from command line and environment.
enum StartCredential {
    static let name = "default"

    enum Outcome: Equatable {
        /// Neither a token server nor a token file is named.
        case absent
        case made(CredentialConfiguration)
        /// A problem was reported.
        case unusable
    }

    static func make(_ options: StartOptions, allowsPlaintext: Bool, _ context: LoadContext) -> Outcome {
        let url = options.first(.tokenURL)
        let file = options.first(.tokenFile)
        if let url, let file, options.isFlag(.tokenURL) == options.isFlag(.tokenFile) {
            context.problems.add(file.place, "is given together with \(url.place.path); keep one of the two")
            return .unusable
        }
        if let file, url == nil || options.isFlag(.tokenFile) { return made(SecretSetting.file(file, context)) }
        guard let url else { return withoutServer(options, context) }
        let parsed = TokenServerSettings.url(
            url, allowsPlaintext: allowsPlaintext, advice: OptionName.allowPlaintext.advice, context)
        let clientID = options.first(.clientID)
        if clientID == nil {
            context.problems.add(url.place, "needs a client; add \(OptionName.clientID.names)")
        }
        let identifier = clientID.flatMap { TokenServerSettings.clientID($0, isSentRaw: false, context) }
        let secret = secret(options, needed: url.place, context)
        let scope = options.first(.scope).map { AccessSection.scope($0, context) }
        guard let parsed, let identifier, let secret else { return .unusable }
        if let scope, scope == nil { return .unusable }
        let source = CredentialSource.clientCredentials(
            ClientCredentials(
                endpoint: .url(parsed), client: OAuthClient(id: identifier, authentication: .basic(secret)),
                access: RequestedAccess(scope: scope ?? nil)))
        return .made(CredentialConfiguration(name: name, source: source))
    }

    private static func made(_ secret: Secret?) -> Outcome {
        guard case .file(let path)? = secret else { return .unusable }
        return .made(CredentialConfiguration(name: name, source: .file(path: path)))
    }

    /// Reports the settings of a client without a token server.
    private static func withoutServer(_ options: StartOptions, _ context: LoadContext) -> Outcome {
        let stray = [OptionName.clientID, .clientSecretFile, .clientSecret, .scope].compactMap { options.first($0) }
        for setting in stray {
            context.problems.add(
                setting.place, "belongs to a token server that is not named; add \(OptionName.tokenURL.names)")
        }
        return stray.isEmpty ? .absent : .unusable
    }

    private static func secret(_ options: StartOptions, needed place: Place, _ context: LoadContext) -> Secret? {
        let file = options.first(.clientSecretFile)
        let literal = options.first(.clientSecret)
        if let file, literal == nil || options.isFlag(.clientSecretFile) { return SecretSetting.file(file, context) }
        if let literal, let file {
            context.problems.add(literal.place, "is given together with \(file.place.path); keep one of the two")
            return nil
        }
        if let literal {
            return literal.text(context.problems, what: "the secret", isSecret: true)
                .flatMap { LiteralSecret.checked($0, literal.place, context) }
        }
        context.problems.add(
            place, "needs a secret; add \(OptionName.clientSecretFile.flag) or \(OptionName.clientSecret.variable)")
        return nil
    }
}

/// The sentences that say how to start.
enum StartAdvice {
    static let credentials =
        "--token-url with --client-id and --client-secret-file, or --token-file, "
        + "or a bound service (VCAP_SERVICES), or a file with credentials (--config)"

    static func nothingToDo(_ command: String) -> String {
        """
        nothing to do: no backend and no configuration file. Start in one of three ways:
          attache \(command) --backend URL --token-url URL --client-id ID --client-secret-file FILE
          attache \(command) --backend URL       in a Cloud Foundry app that is bound to the service (VCAP_SERVICES)
          attache \(command) --config FILE       (every key is explained in config/attache.yaml)
        Each of these may also stand in the environment: ATTACHE_BACKEND, ATTACHE_TOKEN_URL, ATTACHE_CONFIG, …
        """
    }
}
