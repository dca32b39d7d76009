/// Parameterised credentials: each value that requests name has a record of its own, which lives as long as its token is
/// kept, and is otherwise a credential like any other.
extension TokenManager {
    /// The record of what a request means: the credential itself, or one of its values.
    func record(
        of credential: CredentialRecord, for request: RequestParameters, _ now: ContinuousClock.Instant
    ) throws(TokenError) -> CredentialRecord {
        guard !credential.parameters.isEmpty else { return credential }
        let known = knownRecord(of: credential, for: request)
        if let end = known?.variant?.end, now >= end { throw credential.named(Self.subjectEnded) }
        if let known { return known }
        guard let secrets = credential.secrets else { throw secretMissing(credential) }
        let variant = try variant(of: credential, for: request, now)
        let record = CredentialRecord(variant)
        credential.variants[variant.key] = record
        take(Self.secrets(secrets, of: variant), record, variant.grant, now)
        return record
    }

    /// As `record(of:for:_:)`, where its token is kept already.
    func knownRecord(of credential: CredentialRecord, for request: RequestParameters) -> CredentialRecord? {
        guard !credential.parameters.isEmpty else { return credential }
        return ParameterKey(request, of: credential.parameters).flatMap { credential.variants[$0] }
    }

    /// The header of a token that is kept; where a value needs it, with the time to ask again.
    func header(
        _ record: CredentialRecord, _ token: AccessToken, in slot: TokenSlot, _ now: ContinuousClock.Instant
    ) -> AuthorizationHeader {
        let askAgainAt = record.variant == nil ? nil : slot.entry.askAgainAt(now)
        return record.header(token, askAgainAt: askAgainAt)
    }

    /// Requests were served with copies of these values' tokens, which counts as a use.
    ///
    /// - Parameters:
    ///   - name: The credential's name.
    ///   - requests: What they said, the latest last.
    public func used(_ name: String, by requests: [RequestParameters]) {
        guard let credential = record(name) else { return }
        for request in requests {
            if let key = knownRecord(of: credential, for: request)?.key { _ = slots.use(key) }
        }
    }

    /// A parameterised credential has other secrets, and with it all its values.
    func variantSecretsRead(
        _ credential: CredentialRecord, _ secrets: SecretTexts, _ now: ContinuousClock.Instant, keepsToken: Bool
    ) {
        credential.secrets = secrets
        credential.clientOutage.end()
        for record in Array(credential.variants.values) {
            guard let variant = record.variant else { continue }
            take(Self.secrets(secrets, of: variant), record, variant.grant, now, keepsToken: keepsToken)
            if let key = record.key, slots.peek(key) == nil { forget(record) }
        }
    }

    /// A value's token is not kept any more.
    func forget(_ record: CredentialRecord) {
        guard let variant = record.variant else { preconditionFailure("a configured credential is forgotten") }
        variant.credential.variants[variant.key] = nil
        if let key = record.key { leave(key, record) }
    }

    /// The value that a request names, which is none of those that are kept.
    private func variant(
        of credential: CredentialRecord, for request: RequestParameters, _ now: ContinuousClock.Instant
    ) throws(TokenError) -> CredentialRecord.Variant {
        var named = RequestParameters()
        for parameter in credential.parameters { named[parameter] = request[parameter] }
        var end: ContinuousClock.Instant?
        if let token = named.bearerToken { end = try subjectEnd(token, credential, now) }
        do throws(UnusableParameter) {
            guard let key = ParameterKey(named, of: credential.parameters) else {
                let missing = credential.parameters.first { named[$0] == nil } ?? .host
                throw UnusableParameter(missing, nil)
            }
            return CredentialRecord.Variant(
                credential: credential, key: key, request: named, end: end, grant: try credential.grant(for: named))
        } catch {
            throw credential.named(error.error)
        }
    }

    /// When a request's own token ends, if it says so.
    private func subjectEnd(
        _ token: String, _ credential: CredentialRecord, _ now: ContinuousClock.Instant
    ) throws(TokenError) -> ContinuousClock.Instant? {
        guard token.utf8.count <= TokenAnswer.longestToken, FieldText.isBearerToken(token) else {
            throw credential.named(
                TokenError(
                    kind: .subjectTokenUnusable, message: "the request's own Authorization holds no bearer token"))
        }
        guard let expiresAt = JSONWebToken(token)?.expiresAt else { return nil }
        // A huge number does not fit: ten years are enough.
        let left = min(max(expiresAt - clock.unixTime, 0), 315_360_000)
        guard left > 0 else { throw credential.named(Self.subjectEnded) }
        return now + .seconds(left)
    }

    private static func secrets(_ secrets: SecretTexts, of variant: CredentialRecord.Variant) -> SecretTexts {
        guard let token = variant.request.bearerToken else { return secrets }
        var secrets = secrets
        secrets[.subjectToken] = SecretText(token)
        return secrets
    }

    private static var subjectEnded: TokenError {
        TokenError(
            kind: .subjectTokenUnusable, message: "the request's own bearer token has ended: send one that is good")
    }
}
