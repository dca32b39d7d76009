/// A client of IBM Mobile Client Access, as an app bound to the service finds it in `VCAP_SERVICES`.
///
/// The token comes from `{serverUrl}/authorization/v1/apps/{appId}/token`, by HTTP Basic of the raw identifier and secret.
public struct MobileClientAccess: Sendable, Equatable {
    /// The service's address, for instance `https://mobileclientaccess.example/imf-authserver`.
    public var serverURL: TokenURL
    /// `tenantId`, else the app's own identifier (`application_id` of `VCAP_APPLICATION`).
    public var appID: String
    /// The client's identifier.
    public var clientID: String
    /// The client's secret.
    public var clientSecret: Secret
    /// TLS to the service.
    public var tls: TLSSettings

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - serverURL: The service's address, without the path of the token endpoint.
    ///   - appID: The app's identifier.
    ///   - clientID: The client's identifier.
    ///   - clientSecret: The client's secret.
    ///   - tls: TLS to the service.
    public init(
        serverURL: TokenURL, appID: String, clientID: String, clientSecret: Secret, tls: TLSSettings = TLSSettings()
    ) {
        self.serverURL = serverURL
        self.appID = appID
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.tls = tls
    }

    /// Where the token is asked for.
    public var tokenURL: TokenURL { serverURL.appending(["authorization", "v1", "apps", appID, "token"]) }
}
