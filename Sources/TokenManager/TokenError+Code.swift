extension TokenError {
    /// The stable name of the failure, for logs and status pages; unlike the message, it never changes.
    public var code: String {
        switch kind {
        case .unknownCredential: "unknown-credential"
        case .invalidConfiguration: "credential-misconfigured"
        case .secretUnreadable: "secret-unreadable"
        case .secretUnwritable: "refresh-token-not-written"
        case .unusableValue: "value-unusable"
        case .tokenExpired: "token-expired"
        case .invalidParameter: "parameter-unusable"
        case .subjectTokenUnusable: "subject-token-refused"
        case .tooManyFetches: "too-many-fetches"
        case .tokenServerUnreachable: "token-server-unreachable"
        case .tokenServerRefused: "token-server-refused"
        case .badTokenResponse: "token-response-unusable"
        case .badMetadata: "metadata-unusable"
        case .cancelled: "fetch-cancelled"
        case .stopped: "fetch-stopped"
        }
    }
}
