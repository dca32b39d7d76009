/// A client of IBM App ID that acts for itself (IBM's "application identity"), or for one of your own users ("custom
/// identity").
///
/// The token comes from `{oauthServerUrl}/token`. The client authenticates with HTTP Basic of the raw identifier and
/// secret, as in IBM's own SDKs.
public struct AppID: Sendable, Equatable {
    /// The tenant's address, for instance `https://eu-de.appid.example/oauth/v4/TENANT`.
    public var oauthServerURL: TokenURL
    /// The client's identifier.
    public var clientID: String
    /// The client's secret.
    public var clientSecret: Secret
    /// The assertion for one of your own users, if the token is for one.
    public var assertion: Assertion?
    /// TLS to the service.
    public var tls: TLSSettings

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - oauthServerURL: The tenant's address, without `/token`.
    ///   - clientID: The client's identifier.
    ///   - clientSecret: The client's secret.
    ///   - assertion: The assertion for one of your own users, if the token is for one.
    ///   - tls: TLS to the service.
    public init(
        oauthServerURL: TokenURL, clientID: String, clientSecret: Secret, assertion: Assertion? = nil,
        tls: TLSSettings = TLSSettings()
    ) {
        self.oauthServerURL = oauthServerURL
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.assertion = assertion
        self.tls = tls
    }

    /// The tenant's address made of its parts: `{endpoint}/oauth/v{version}/{tenantId}`.
    ///
    /// - Parameters:
    ///   - endpoint: The region's address, for instance `https://eu-de.appid.example`.
    ///   - version: The API's version, 4 by default.
    ///   - tenantID: The tenant.
    /// - Returns: The address to use as `oauthServerURL`.
    public static func oauthServerURL(endpoint: TokenURL, version: Int = 4, tenantID: String) -> TokenURL {
        endpoint.appending(["oauth", "v\(version)", tenantID])
    }

    /// The address of the token endpoint.
    public var tokenURL: TokenURL { oauthServerURL.appending(["token"]) }
}

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
