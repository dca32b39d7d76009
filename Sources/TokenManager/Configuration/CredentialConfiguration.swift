/// One credential: a name, where its value comes from, and the field that carries it.
public struct CredentialConfiguration: Sendable, Equatable {
    /// The name that routes and callers use.
    public var name: String
    /// Where the value comes from.
    public var source: CredentialSource
    /// The name of the field that carries the value.
    public var header: String
    /// The word before the value, or nil for the value alone.
    public var scheme: String?
    /// Which key its tokens are bound to, or nil for tokens that are good for whoever has them; for sources that fetch.
    ///
    /// A bound token goes as `Authorization: DPoP …`, and each request needs the proof of `AuthorizationHeader.binding`.
    public var dpop: DPoP?
    /// Whether the program that uses the credential counts as ready only while it has a usable value.
    public var isRequired: Bool

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - name: The name that routes and callers use.
    ///   - source: Where the value comes from.
    ///   - header: The name of the field that carries the value.
    ///   - scheme: The word before the value, or nil for the value alone.
    ///   - dpop: Which key its tokens are bound to, or nil for tokens that are good for whoever has them.
    ///   - isRequired: Whether readiness depends on the credential.
    public init(
        name: String, source: CredentialSource, header: String = "Authorization", scheme: String? = "Bearer",
        dpop: DPoP? = nil, isRequired: Bool = true
    ) {
        self.name = name
        self.source = source
        self.header = header
        self.scheme = scheme
        self.dpop = dpop
        self.isRequired = isRequired
    }

    /// Whether the refresh token is of no use after a restart, because the key that it is bound to ends with the process:
    /// the server binds the one of a public client (RFC 9449 section 5).
    package var losesProofKey: Bool {
        guard case .refreshToken(let client) = source, client.client.authentication == .none else { return false }
        return dpop == .generated
    }
}
