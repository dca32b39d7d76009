import TokenManager

/// A credential `a` with a refresh token in a file.
extension Simulation {
    static let refreshTokenPath = "/refresh"

    /// A manager whose file holds the refresh token `r0`.
    static func withRefreshToken(
        _ authentication: ClientAuthentication = .none, dpop: DPoP? = nil, at endpoint: TokenEndpoint? = nil,
        cacheSize: Int = 100, more: [CredentialConfiguration] = []
    ) throws -> Simulation {
        let client = RefreshToken(
            endpoint: try endpoint ?? .url(try TokenURL("https://idp.test/token")),
            client: OAuthClient(id: "cid", authentication: authentication), path: refreshTokenPath)
        let credential = CredentialConfiguration(name: "a", source: .refreshToken(client), dpop: dpop)
        let simulation = Simulation([credential] + more, cacheSize: cacheSize)
        simulation.secrets.setFile(refreshTokenPath, "r0")
        return simulation
    }

    /// The refresh tokens that were sent, oldest first.
    var sentRefreshTokens: [String] {
        transport.exchanges.map { exchange in
            let fields = String(decoding: exchange.request.body, as: UTF8.self).split(separator: "&")
            return String(fields.first { $0.hasPrefix("refresh_token=") }?.dropFirst(14) ?? "")
        }
    }
}

extension ScriptedTransport.Answer {
    /// Gives the n-th request the access token `t<n>` and the refresh token `r<n+1>`, as long as each is used once.
    static func rotating(_ exchange: ScriptedTransport.Exchange) -> Self {
        .ok(
            #"{"access_token":"t\#(exchange.number)","expires_in":100,"refresh_token":"r\#(exchange.number + 1)"}"#)
    }
}
