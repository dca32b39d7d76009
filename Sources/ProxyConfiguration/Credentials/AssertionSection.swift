import TokenManager

/// Reads `assertion` and `clientAssertion`: a finished JWT, or the claims of one that Attaché signs.
enum AssertionSection {
    enum Key: String, CaseIterable {
        case file
        case env
        case privateKey
        case algorithm
        case keyId
        case certificate
        case issuer
        case subject
        case audience
        case lifetime
        case claims
    }

    /// The subject of an assertion.
    enum Speaker {
        /// A client that authenticates itself; issuer and subject are its identifier.
        case client
        /// The subject of the token; missing claims default to the client's identifier, if there is a client.
        case subject(hasClient: Bool)
        /// Whoever has the JWT, which is the token itself; only the issuer is required.
        case bearer
    }

    private typealias Keys = MappingReader<Key>

    static func read(_ setting: Setting, _ speaker: Speaker, _ context: LoadContext) -> Assertion? {
        // Not quoted, because a user may write the assertion itself in place of a key.
        guard var keys = Keys(setting, context.problems, quoting: .never) else { return nil }
        let file = keys.take(.file)
        let variable = keys.take(.env)
        if file != nil || variable != nil {
            keys.finish(context: "of an assertion that is not signed here")
            return SecretSetting.place(file: file, variable: variable, setting.place, context).map { .value($0) }
        }
        let assertion = signed(&keys, speaker, context)
        keys.finish(context: "of an assertion")
        return assertion.map { .signed($0) }
    }

    /// A JWT that is the token itself.
    static func token(_ setting: Setting, _ context: LoadContext) -> SignedAssertion? {
        switch read(setting, .bearer, context) {
        case .signed(let assertion)?: return assertion
        case .value?:
            context.problems.add(
                setting.place, "is a finished JWT; use the type file for one, or write the privateKey to sign one with")
            return nil
        case nil: return nil
        }
    }

    /// The audience of an assertion signed with the client's secret, its only setting; nil if it is unusable.
    static func audience(_ setting: Setting, _ context: LoadContext) -> String?? {
        guard var keys = Keys(setting, context.problems, quoting: .never) else { return nil }
        let audience = keys.take(.audience).map { self.audience(of: $0, context) }
        keys.finish(context: "of an assertion that is signed with the client's secret")
        guard let audience else { return .some(nil) }
        return audience.map { .some($0) }
    }

    private static func audience(of setting: Setting, _ context: LoadContext) -> String? {
        TokenServerSettings.constant(setting, what: "the assertion's audience", context)
    }

    private static func missingIssuerAdvice(_ speaker: Speaker) -> String {
        if case .bearer = speaker { return "write the issuer that the backend expects" }
        return "write the assertion's issuer, or the clientId of a client"
    }

    private static func signed(
        _ keys: inout Keys, _ speaker: Speaker, _ context: LoadContext
    ) -> SignedAssertion? {
        let problems = context.problems
        let algorithm = keys.take(.algorithm).map { $0.word(SigningAlgorithm.self, problems) }
        let keySetting = keys.require(.privateKey, "write { file: … } of a key in PEM")
        let key = keySetting.flatMap { PEMSetting.key($0, algorithm ?? nil, context) }
        let certificateSetting = keys.take(.certificate)
        let certificate = certificateSetting.map { PEMSetting.certificate($0, of: key, context) }
        let keyID = keys.take(.keyId)?.text(problems, what: "the key's name")
        let audience = keys.take(.audience).flatMap { self.audience(of: $0, context) }
        let lifetime = keys.take(.lifetime).map { $0.duration(.seconds(1)...(.seconds(3600)), problems) }
        var assertion = SignedAssertion(privateKey: .literal(""), keyID: keyID, audience: audience)
        let hasClient: Bool? =
            switch speaker {
            case .client: nil
            case .subject(let hasClient): hasClient
            case .bearer: false
            }
        if let hasClient {
            let issuer = keys.take(.issuer)
            assertion.issuer = issuer.flatMap {
                TokenServerSettings.constant($0, what: "the assertion's issuer", context)
            }
            let subject = keys.take(.subject)
            if subject == nil, case .subject(hasClient: false) = speaker {
                SigningWarning.subjectIsMissing(keys.place, context)
            }
            assertion.subject =
                subject.flatMap { TokenServerSettings.constant($0, what: "the assertion's subject", context) }
            assertion.claims =
                keys.take(.claims).map {
                    TokenParameterSection.read($0, reserved: SignedAssertion.reservedClaimNames, context)
                } ?? []
            if issuer == nil, !hasClient {
                problems.add(keys.place, "issuer is missing; \(Self.missingIssuerAdvice(speaker))")
                return nil
            }
        }
        guard let key, algorithm != .some(nil), certificate != .some(nil), lifetime != .some(nil) else { return nil }
        assertion.privateKey = key
        assertion.algorithm = algorithm ?? nil
        assertion.certificate = certificate ?? nil
        if let lifetime = lifetime ?? nil { assertion.lifetime = lifetime }
        return assertion
    }
}

/// Reads a credential of type `jwtBearer`.
enum JWTBearerSection {
    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> JWTBearer? {
        let endpoint = EndpointSetting.read(&keys, context)
        let tls = TokenServerSettings.tls(keys.take(.tls), toward: endpoint, context)
        let client = ClientSection.readOptional(&keys, tls, context)
        // A client with a problem still counts as a client.
        let hasClient = client != .some(nil)
        let assertion = keys.require(.assertion, "write { file: … }, or { privateKey: { file: … } } to sign one here")
            .flatMap { AssertionSection.read($0, .subject(hasClient: hasClient), context) }
        let access = AccessSection.read(&keys, context)
        guard let endpoint, let client, let assertion, let tls else { return nil }
        return JWTBearer(endpoint: endpoint, client: client, assertion: assertion, access: access, tls: tls)
    }
}

/// Reads a credential of type `signedJwt`.
enum SignedJWTSection {
    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> SignedAssertion? {
        keys.require(.assertion, "write { privateKey: { file: … }, issuer: … }")
            .flatMap { AssertionSection.token($0, context) }
    }
}
