/// Who asks a token server for a token, and how it proves that.
public struct OAuthClient: Sendable, Equatable {
    /// The client's identifier.
    public var id: String
    /// How the client proves who it is.
    public var authentication: ClientAuthentication

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - id: The client's identifier.
    ///   - authentication: How the client proves who it is.
    public init(id: String, authentication: ClientAuthentication) {
        self.id = id
        self.authentication = authentication
    }
}
