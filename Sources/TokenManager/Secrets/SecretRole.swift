/// The purpose of a secret in a token request.
package enum SecretRole: String, Sendable, Hashable, CaseIterable {
    case clientSecret
    /// A finished client assertion, not signed here.
    case clientAssertion
    case clientAssertionKey
    case clientAssertionCertificate
    /// A finished assertion, not signed here.
    case assertion
    case assertionKey
    case assertionCertificate
    case subjectToken
    case actorToken
    case refreshToken
    case apikey
    case tlsCertificate
    case tlsKey
    /// The key that tokens are bound to (DPoP).
    case proofKey

    /// Whether it is a key or certificates in PEM; every other secret is one line.
    var isPEM: Bool {
        switch self {
        case .clientAssertionKey, .clientAssertionCertificate, .assertionKey, .assertionCertificate, .tlsCertificate,
            .tlsKey, .proofKey:
            true
        case .clientSecret, .clientAssertion, .assertion, .subjectToken, .actorToken, .refreshToken, .apikey: false
        }
    }

    /// The secret as a part of a sentence.
    var name: String {
        switch self {
        case .clientSecret: "the client's secret"
        case .clientAssertion: "the client assertion"
        case .clientAssertionKey: "the client assertion's private key"
        case .clientAssertionCertificate: "the client assertion's certificate"
        case .assertion: "the assertion"
        case .assertionKey: "the assertion's private key"
        case .assertionCertificate: "the assertion's certificate"
        case .subjectToken: "the subject token"
        case .actorToken: "the actor token"
        case .refreshToken: "the refresh token"
        case .apikey: "the API key"
        case .tlsCertificate: "the client certificate"
        case .tlsKey: "the client certificate's key"
        case .proofKey: "the private key of dpop"
        }
    }
}
