import TokenManager

/// Reads a credential of type `signedJwt`.
enum SignedJWTSection {
    static func read(_ keys: inout CredentialSection.Keys, _ context: LoadContext) -> SignedAssertion? {
        keys.require(.assertion, "write { privateKey: { file: … }, issuer: … }")
            .flatMap { AssertionSection.token($0, context) }
    }
}
