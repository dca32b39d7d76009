/// A client of IBM Mobile Client Access, as `VCAP_SERVICES` describes it to an app that is bound to the service.
///
/// The token comes from `{serverUrl}/authorization/v1/apps/{appId}/token`.
public struct MobileClientAccess: Sendable, Equatable {
    /// How the client authenticates.
    public enum Authentication: Sendable, Equatable {
        /// With HTTP Basic of the raw identifier and secret.
        case secret(clientID: String, Secret)
        /// With a signature by an RSA key whose certificate names the client in its common name, both in PEM.
        ///
        /// `properties` is sent along if the service requires it.
        case certificate(Secret, privateKey: Secret, properties: String? = nil)
    }

    /// The service's address, for instance `https://mobileclientaccess.example/imf-authserver`.
    public var serverURL: TokenURL
    /// `tenantId`, else the app's own identifier (`application_id` of `VCAP_APPLICATION`).
    public var appID: String
    /// How the client authenticates.
    public var authentication: Authentication
    /// TLS to the service.
    public var tls: TLSSettings

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - serverURL: The service's address, without the path of the token endpoint.
    ///   - appID: The app's identifier.
    ///   - authentication: How the client authenticates.
    ///   - tls: TLS to the service.
    public init(
        serverURL: TokenURL, appID: String, authentication: Authentication, tls: TLSSettings = TLSSettings()
    ) {
        self.serverURL = serverURL
        self.appID = appID
        self.authentication = authentication
        self.tls = tls
    }

    /// The address of the token endpoint.
    public var tokenURL: TokenURL { serverURL.appending(["authorization", "v1", "apps", appID, "token"]) }
}
