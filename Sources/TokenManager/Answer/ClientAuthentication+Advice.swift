extension ClientAuthentication {
    /// What to do when the server refuses a client that authenticates in this way.
    var advice: String {
        switch self {
        case .basic:
            "check clientId and clientSecret, or write clientAuthentication: basicRaw or post in the configuration file"
        case .basicRaw: "check clientId and clientSecret, or write clientAuthentication: basic or post"
        case .post: "check clientId and clientSecret, or write clientAuthentication: basic"
        case .clientSecretJwt:
            "check clientId and clientSecret, the audience in clientAssertion, and this machine's clock"
        case .privateKeyJwt:
            "check clientId, the key that the server has for it, the audience in clientAssertion, and this machine's clock"
        case .mutualTls: "check clientId, and that the server knows the client certificate and it has not expired"
        case .none: "check clientId, and that the server accepts this client without a secret"
        }
    }
}
