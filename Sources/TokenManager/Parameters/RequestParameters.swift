/// The values that one request has for a parameterised credential's parameters.
///
/// A bearer token may be among them, so no description or reflection shows a value.
public struct RequestParameters: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The host that the request goes to, converted to lower case; an IPv6 address in its brackets.
    public var host: String? { didSet { host = host?.lowercased() } }
    /// Fields of the request by their names, which are converted to lower case.
    ///
    /// If two names differ only in the case of letters, the value is both with a comma in between, as if one field
    /// had been sent twice: an unusable value.
    public var fields: [String: String] { didSet { fields = Self.lowercased(fields) } }
    /// The bearer token of the request, without the word Bearer.
    public var bearerToken: String?

    /// Creates the values of a request; those that the credential does not use have no effect.
    ///
    /// - Parameters:
    ///   - host: The host that the request goes to, in any case of letters.
    ///   - fields: Fields of the request by their names, in any case of letters.
    ///   - bearerToken: The bearer token of the request, without the word Bearer.
    public init(host: String? = nil, fields: [String: String] = [:], bearerToken: String? = nil) {
        self.host = host?.lowercased()
        self.fields = Self.lowercased(fields)
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
            case .field(let name): fields[name.lowercased()]
            case .bearerToken: bearerToken
            }
        }
        set {
            switch parameter {
            case .host: host = newValue
            case .field(let name): fields[name.lowercased()] = newValue
            case .bearerToken: bearerToken = newValue
            }
        }
    }

    /// Joins the values of one field as in RFC 9110 section 5.2.
    private static func lowercased(_ fields: [String: String]) -> [String: String] {
        Dictionary(fields.map { ($0.key.lowercased(), $0.value) }) { "\($0), \($1)" }
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
