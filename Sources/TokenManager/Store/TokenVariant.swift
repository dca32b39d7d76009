/// One variant of a parameterised credential: the values in its requests, and the grant for them.
struct TokenVariant {
    /// All variants of the credential.
    unowned let siblings: CredentialVariants
    let key: ParameterKey
    /// The values in the requests that need this variant.
    let request: RequestParameters
    /// The end of the requests' own token, if that is exchanged and states one.
    let end: ContinuousClock.Instant?
    /// The grant to request; its secrets are the credential's.
    let grant: TokenGrant

    /// The credential's secrets, with the token that the requests bring themselves.
    func secrets(_ secrets: SecretTexts) -> SecretTexts {
        guard let token = request.bearerToken else { return secrets }
        var secrets = secrets
        secrets[.subjectToken] = SecretText(token)
        return secrets
    }
}
