/// The metadata server of a cloud, which issues tokens for the identity of the machine that asks.
///
/// It is asked in plain text: it lies on the same host, and a request holds no secret.
public struct MetadataServer: Sendable, Equatable {
    /// The cloud, and what a token is for.
    public enum Provider: Sendable, Equatable {
        /// Google Cloud: the tokens of the machine's default service account; empty scopes mean all of the account's.
        case google(scopes: [String])
        /// Azure: a managed identity; without `clientID` the machine's only one.
        case azure(resource: String, clientID: String?)

        /// The field without which the server refuses a request, so that no redirected browser can ask it.
        var demandedField: TokenParameter {
            switch self {
            case .google: TokenParameter(name: "Metadata-Flavor", value: "Google")
            case .azure: TokenParameter(name: "Metadata", value: "true")
            }
        }

        var query: [TokenParameter] {
            switch self {
            case .google(let scopes):
                scopes.isEmpty ? [] : [TokenParameter(name: "scopes", value: scopes.joined(separator: ","))]
            case .azure(let resource, let clientID):
                [
                    TokenParameter(name: "api-version", value: "2018-02-01"),
                    TokenParameter(name: "resource", value: resource),
                ] + (clientID.map { [TokenParameter(name: "client_id", value: $0)] } ?? [])
            }
        }

        var path: String {
            switch self {
            case .google: "/computeMetadata/v1/instance/service-accounts/default/token"
            case .azure: "/metadata/identity/oauth2/token"
            }
        }
    }

    /// The address that the clouds give their metadata servers.
    public static let address = "http://169.254.169.254"

    /// The server's address; only an emulator has another one than `address`.
    public var url: TokenURL
    /// The cloud, and what a token is for.
    public var provider: Provider

    /// Creates the settings of a metadata server.
    ///
    /// - Parameters:
    ///   - url: The server's address.
    ///   - provider: The cloud, and what a token is for.
    public init(url: TokenURL, provider: Provider) {
        self.url = url
        self.provider = provider
    }

    /// The address that issues the tokens.
    package var tokenURL: TokenURL { url.replacing(path: provider.path) }
}
