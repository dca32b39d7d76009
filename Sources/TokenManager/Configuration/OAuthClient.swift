/// A client of a token server, and how it authenticates.
public struct OAuthClient: Sendable, Equatable {
    /// The client's identifier.
    public var id: String
    /// How the client authenticates.
    public var authentication: ClientAuthentication

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - id: The client's identifier.
    ///   - authentication: How the client authenticates.
    public init(id: String, authentication: ClientAuthentication) {
        self.id = id
        self.authentication = authentication
    }
}
