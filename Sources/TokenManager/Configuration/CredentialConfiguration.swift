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

    /// Creates a credential.
    ///
    /// - Parameters:
    ///   - name: The name that routes and callers use.
    ///   - source: Where the value comes from.
    ///   - header: The name of the field that carries the value.
    ///   - scheme: The word before the value, or nil for the value alone.
    public init(
        name: String, source: CredentialSource, header: String = "Authorization", scheme: String? = "Bearer"
    ) {
        self.name = name
        self.source = source
        self.header = header
        self.scheme = scheme
    }
}
