/// Something that a request says and that its token depends on.
public enum RequestParameter: Sendable, Hashable {
    /// The host that the request goes to, `{host}` in a setting.
    case host
    /// The value of a field of the request, `{header:Name}` in a setting; a credential tells the name in lower case.
    case field(String)
    /// The token that the request came with itself, which is exchanged for another (on behalf of).
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
