/// One value of a parameterised credential: what the requests that mean it say, and what is asked for them.
struct TokenVariant {
    /// The values of the credential, of which this is one.
    unowned let siblings: CredentialVariants
    let key: ParameterKey
    /// What the requests say that mean it.
    let request: RequestParameters
    /// The end of the requests' own token, if that is exchanged and says one.
    let end: ContinuousClock.Instant?
    /// What is asked for; its secrets are the credential's.
    let grant: TokenGrant

    /// The credential's secrets, with the token that the requests bring themselves.
    func secrets(_ secrets: SecretTexts) -> SecretTexts {
        guard let token = request.bearerToken else { return secrets }
        var secrets = secrets
        secrets[.subjectToken] = SecretText(token)
        return secrets
    }
}
