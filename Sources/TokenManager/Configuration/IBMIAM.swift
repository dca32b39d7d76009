/// An API key of IBM Cloud, exchanged for a token of its identity service, which Cloudant and other services accept.
public struct IBMIAM: Sendable, Equatable {
    /// The address of the token endpoint.
    public var tokenURL: TokenURL
    /// The API key.
    public var apikey: Secret
    /// TLS to the service.
    public var tls: TLSSettings

    /// The address of the public service's token endpoint.
    public static let publicTokenURL = "https://iam.cloud.ibm.com/identity/token"

    /// Creates the settings of the grant.
    ///
    /// - Parameters:
    ///   - tokenURL: The address of the token endpoint.
    ///   - apikey: The API key.
    ///   - tls: TLS to the service.
    public init(tokenURL: TokenURL, apikey: Secret, tls: TLSSettings = TLSSettings()) {
        self.tokenURL = tokenURL
        self.apikey = apikey
        self.tls = tls
    }
}
