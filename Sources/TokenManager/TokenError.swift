/// Why a credential has no value, worded so that a person can act on it; it holds no secret and no token.
public struct TokenError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of a failure.
    public enum Kind: Sendable, Equatable {
        /// No credential of this name is configured.
        case unknownCredential
        /// The credential's settings are unusable, whatever the token server says.
        case invalidConfiguration
        /// A secret's file or environment variable is missing, unreadable or empty.
        case secretUnreadable
        /// A new refresh token could not be written to its file; it is used nevertheless.
        case secretUnwritable
        /// A value cannot be sent in a header field, or a key or certificate is unusable.
        case unusableValue
        /// The token in a file is past its `exp`.
        case tokenExpired
        /// The request lacks a parameter of a parameterised credential, or its value is unusable.
        case invalidParameter
        /// The request has no bearer token of its own to exchange, or an expired one.
        case subjectTokenUnusable
        /// So many tokens for other requests are being fetched that the caller must try again later.
        case tooManyFetches
        /// There was no complete response.
        case tokenServerUnreachable
        /// The token server's address is one of this process itself.
        case tokenServerLeadsBack
        /// An error response; `oauthError` is its `error` (RFC 6749 section 5.2) if that is a plain word.
        case tokenServerRefused(status: Int, oauthError: String?)
        /// A successful response without a usable token.
        case badTokenResponse
        /// The issuer's metadata is missing, belongs to another issuer or names no usable token endpoint.
        case badMetadata
        /// The waiting task was cancelled.
        case cancelled
        /// The manager was stopped.
        case stopped
    }

    /// The credential's name.
    public var credential: String
    /// The kind of the failure.
    public var kind: Kind
    /// What failed, where, and what to do.
    public var message: String
    /// How long a caller should wait before the next attempt, if that is known.
    public var retryAfter: Duration?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - credential: The credential's name; a `SecretReader` may leave it empty, the manager fills it in.
    ///   - kind: The kind of the failure.
    ///   - message: What failed, where, and what to do; no secret and no token.
    ///   - retryAfter: How long a caller should wait before the next attempt, if that is known.
    public init(credential: String = "", kind: Kind, message: String, retryAfter: Duration? = nil) {
        self.credential = credential
        self.kind = kind
        self.message = message
        self.retryAfter = retryAfter
    }

    /// The same error with a credential's name.
    func named(_ credential: String) -> TokenError {
        var error = self
        error.credential = credential
        return error
    }

    /// The credential's name and the message.
    public var description: String { credential.isEmpty ? message : "credential \(credential): \(message)" }
}

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
        case .tokenServerLeadsBack: "token-server-leads-back"
        case .tokenServerRefused: "token-server-refused"
        case .badTokenResponse: "token-response-unusable"
        case .badMetadata: "metadata-unusable"
        case .cancelled: "fetch-cancelled"
        case .stopped: "fetch-stopped"
        }
    }
}
