/// Why there is no value for a credential, said so that a person can act on it; it holds no secret and no token.
public struct TokenError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Kind: Sendable, Equatable {
        /// No credential of this name is configured.
        case unknownCredential
        /// The credential's settings cannot be used, whatever the token server says.
        case invalidConfiguration
        /// A secret's file or environment variable is missing, unreadable or empty.
        case secretUnreadable
        /// What a refresh token's file should hold from now on could not be written; the token is used nevertheless.
        case secretUnwritable
        /// A value cannot stand in a header field, or a key or certificate cannot be used.
        case unusableValue
        /// The token in a file is past its `exp`.
        case tokenExpired
        /// The request does not say which token of a parameterised credential it needs, or not in a way that can be used.
        case invalidParameter
        /// The request has no bearer token of its own that could be exchanged, or one that has ended.
        case subjectTokenUnusable
        /// Tokens for so many other values of requests are being fetched that this one has to be asked for again.
        case tooManyFetches
        /// There was no complete answer.
        case tokenServerUnreachable
        /// An answer other than success; `oauthError` is its `error` (RFC 6749 section 5.2) if it is a plain word.
        case tokenServerRefused(status: Int, oauthError: String?)
        /// An answer of success without a usable token.
        case badTokenResponse
        /// The issuer's metadata is missing, is another issuer's or names no usable token endpoint.
        case badMetadata
        /// The waiting task was cancelled.
        case cancelled
        /// The manager was stopped.
        case stopped
    }

    /// The credential's name.
    public var credential: String
    /// What kind of failure it is.
    public var kind: Kind
    /// What failed, where, and what to do.
    public var message: String
    /// How long a caller should wait before the next attempt, if that is known.
    public var retryAfter: Duration?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - credential: The credential's name; a `SecretReader` may leave it empty, the manager fills it in.
    ///   - kind: What kind of failure it is.
    ///   - message: What failed, where, and what to do; no secret and no token.
    ///   - retryAfter: How long a caller should wait before the next attempt, if that is known.
    public init(credential: String = "", kind: Kind, message: String, retryAfter: Duration? = nil) {
        self.credential = credential
        self.kind = kind
        self.message = message
        self.retryAfter = retryAfter
    }

    /// The same error as one credential's own.
    func named(_ credential: String) -> TokenError {
        var error = self
        error.credential = credential
        return error
    }

    /// The credential's name and the message.
    public var description: String { credential.isEmpty ? message : "credential \(credential): \(message)" }
}
