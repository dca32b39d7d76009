/// The kind of a grant, for messages about its refusal.
enum GrantKind: Sendable, Hashable {
    case clientCredentials
    case jwtBearer
    case tokenExchange
    case refreshToken
    case apikey

    /// The grant's name for administrators of authorization servers.
    var name: String {
        switch self {
        case .clientCredentials: "client_credentials"
        case .jwtBearer: "jwt-bearer"
        case .tokenExchange: "token-exchange"
        case .refreshToken: "refresh_token"
        case .apikey: "apikey"
        }
    }

    /// What to do when the server says that the grant itself is invalid.
    var advice: String {
        switch self {
        case .clientCredentials: "check clientId and what the server has registered for it"
        case .jwtBearer: "check the assertion: its issuer, subject, audience, key and times, and this machine's clock"
        case .tokenExchange: "check the subject token, the actor token and their types"
        case .refreshToken: "the refresh token has expired or was revoked: put a new one into its file"
        case .apikey: "check the API key"
        }
    }
}
