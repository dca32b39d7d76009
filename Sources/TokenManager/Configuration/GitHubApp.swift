import HTTPWire

/// An installation of a GitHub App, whose tokens last an hour.
///
/// Attaché signs a JWT as the app and sends it to `{apiURL}/app/installations/{installationID}/access_tokens`. With the
/// credential's scheme `Basic`, as git over HTTP wants it, the token goes as the password of the user
/// `x-access-token`.
public struct GitHubApp: Sendable, Equatable {
    /// The address of GitHub's own API.
    public static let publicAPI = "https://api.github.com"

    /// The address of the API; GitHub Enterprise Server has its own, which ends in `/api/v3`.
    public var apiURL: TokenURL
    /// The app's identifier or its client identifier: the JWT's `iss`.
    public var appID: String
    /// The installation's number.
    public var installationID: Int
    /// The app's private key in PEM: RSA of 2048 bits or more, unencrypted.
    public var privateKey: Secret
    /// The names of the repositories that a token is for, without their owner; empty for all of the installation.
    public var repositories: [String]
    /// What a token may do, such as `contents: read`; empty for all that the installation may.
    public var permissions: [TokenParameter]
    /// TLS to the API.
    public var tls: TLSSettings

    /// Creates the settings of an installation.
    ///
    /// - Parameters:
    ///   - apiURL: The address of the API.
    ///   - appID: The app's identifier or its client identifier.
    ///   - installationID: The installation's number.
    ///   - privateKey: The app's private key in PEM.
    ///   - repositories: The names of the repositories that a token is for; empty for all.
    ///   - permissions: What a token may do; empty for all that the installation may.
    ///   - tls: TLS to the API.
    public init(
        apiURL: TokenURL, appID: String, installationID: Int, privateKey: Secret, repositories: [String] = [],
        permissions: [TokenParameter] = [], tls: TLSSettings = TLSSettings()
    ) {
        self.apiURL = apiURL
        self.appID = appID
        self.installationID = installationID
        self.privateKey = privateKey
        self.repositories = repositories
        self.permissions = permissions
        self.tls = tls
    }

    /// The address that issues the tokens.
    package var tokenURL: TokenURL {
        apiURL.appending(["app", "installations", "\(installationID)", "access_tokens"])
    }

    /// The body of a request for a token.
    var request: String {
        var members: [String] = []
        if !repositories.isEmpty {
            members.append("\"repositories\":[\(repositories.map(JSONText.quoted).joined(separator: ","))]")
        }
        if !permissions.isEmpty {
            let pairs = permissions.map { "\(JSONText.quoted($0.name)):\(JSONText.quoted($0.value))" }
            members.append("\"permissions\":{\(pairs.joined(separator: ","))}")
        }
        return "{\(members.joined(separator: ","))}"
    }
}
