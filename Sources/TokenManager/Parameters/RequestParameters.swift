/// What one request says: the values of a parameterised credential's parameters.
///
/// A bearer token may be among them, so no description or reflection shows a value.
public struct RequestParameters: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The host that the request goes to, in lower case.
    public var host: String?
    /// Fields of the request by their names in lower case.
    public var fields: [String: String]
    /// The token that the request came with, without the word Bearer.
    public var bearerToken: String?

    /// Creates the values of a request; those that the credential does not ask for change nothing.
    ///
    /// - Parameters:
    ///   - host: The host that the request goes to, in lower case.
    ///   - fields: Fields of the request by their names in lower case.
    ///   - bearerToken: The token that the request came with, without the word Bearer.
    public init(host: String? = nil, fields: [String: String] = [:], bearerToken: String? = nil) {
        self.host = host
        self.fields = fields
        self.bearerToken = bearerToken
    }

    /// The value of a parameter, if the request has it.
    ///
    /// - Parameter parameter: The parameter.
    /// - Returns: Its value.
    public subscript(parameter: RequestParameter) -> String? {
        get {
            switch parameter {
            case .host: host
            case .field(let name): fields[name]
            case .bearerToken: bearerToken
            }
        }
        set {
            switch parameter {
            case .host: host = newValue
            case .field(let name): fields[name] = newValue
            case .bearerToken: bearerToken = newValue
            }
        }
    }

    /// The names alone.
    public var description: String {
        let names = (host == nil ? [] : ["host"]) + fields.keys.sorted() + (bearerToken == nil ? [] : ["bearer token"])
        return "RequestParameters(\(names.joined(separator: ", ")))"
    }
    /// The names alone.
    public var debugDescription: String { description }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
