/// A part of a request that its token depends on.
public enum RequestParameter: Sendable, Hashable {
    /// The host that the request goes to, `{host}` in a setting.
    case host
    /// The value of a field of the request, `{header:Name}` in a setting; a credential gives the name in lower case.
    case field(String)
    /// The bearer token of the request itself, which is exchanged for another one (on behalf of).
    case bearerToken

    /// The parameter as a part of a sentence.
    package var name: String {
        switch self {
        case .host: "the host"
        case .field(let name): "the field \(name)"
        case .bearerToken: "the request's own bearer token"
        }
    }
}
