/// The access that a token is requested for, as fields of the token request.
public struct RequestedAccess: Sendable, Hashable {
    /// The names that other settings write, so that `parameters` must not contain them.
    public static let reservedParameterNames: Set<String> = [
        "grant_type", "client_id", "client_secret", "client_assertion", "client_assertion_type", "scope", "audience",
        "resource", "assertion", "subject_token", "subject_token_type", "actor_token", "actor_token_type",
        "requested_token_type", "refresh_token",
    ]

    /// The scopes, separated by spaces, or nil for the server's default.
    public var scope: String?
    /// The audience of the token, if the server requires one.
    public var audience: String?
    /// The resources that the token is for (RFC 8707), one field each.
    public var resource: [String]
    /// More fields of the form, in this order.
    public var parameters: [TokenParameter]

    /// Creates the fields.
    ///
    /// - Parameters:
    ///   - scope: The scopes, separated by spaces, or nil for the server's default.
    ///   - audience: The audience of the token, if the server requires one.
    ///   - resource: The resources that the token is for, one field each.
    ///   - parameters: More fields of the form; none of `reservedParameterNames`.
    public init(
        scope: String? = nil, audience: String? = nil, resource: [String] = [], parameters: [TokenParameter] = []
    ) {
        self.scope = scope
        self.audience = audience
        self.resource = resource
        self.parameters = parameters
    }
}

/// One more field of the form that is sent to the token server.
///
/// Its value may be a password, so no description or reflection shows it.
public struct TokenParameter: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The field's name.
    public var name: String
    /// The field's value before form encoding.
    public var value: String

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: The field's value before form encoding.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    /// The name alone.
    public var description: String { "\(name)=<redacted>" }
    /// The name alone.
    public var debugDescription: String { description }
    /// The name alone.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
