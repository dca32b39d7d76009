/// A client of IBM Mobile Client Access, as an app bound to the service finds it in `VCAP_SERVICES`.
///
/// The token comes from `{serverUrl}/authorization/v1/apps/{appId}/token`.
public struct MobileClientAccess: Sendable, Equatable {
    /// How the client proves who it is.
    public enum Authentication: Sendable, Equatable {
        /// By HTTP Basic of the raw identifier and secret.
        case secret(clientID: String, Secret)
        /// By a signature with an RSA key whose certificate, both in PEM, names the client in its common name; `properties`
        /// is sent along where the service wants it.
        case certificate(Secret, privateKey: Secret, properties: String? = nil)
    }

    /// The service's address, for instance `https://mobileclientaccess.example/imf-authserver`.
    public var serverURL: TokenURL
    /// `tenantId`, else the app's own identifier (`application_id` of `VCAP_APPLICATION`).
    public var appID: String
    /// How the client proves who it is.
    public var authentication: Authentication
    /// TLS to the service.
    public var tls: TLSSettings

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - serverURL: The service's address, without the path of the token endpoint.
    ///   - appID: The app's identifier.
    ///   - authentication: How the client proves who it is.
    ///   - tls: TLS to the service.
    public init(
        serverURL: TokenURL, appID: String, authentication: Authentication, tls: TLSSettings = TLSSettings()
    ) {
        self.serverURL = serverURL
        self.appID = appID
        self.authentication = authentication
        self.tls = tls
    }

    /// Where the token is asked for.
    public var tokenURL: TokenURL { serverURL.appending(["authorization", "v1", "apps", appID, "token"]) }
}
