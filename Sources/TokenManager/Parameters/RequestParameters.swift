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

extension RequestParameters {
    /// Whether a token server refused what this request said, and not the client, its grant or the credential's
    /// settings.
    ///
    /// - Parameters:
    ///   - error: The refusal.
    ///   - standInPath: Whether the request named a part of the token endpoint's path.
    /// - Returns: False if the refusal concerns the client, and so every other variant.
    func areToBlame(for error: TokenError, standInPath: Bool) -> Bool {
        guard case .tokenServerRefused(let status, let code) = error.kind else { return false }
        switch (status, code) {
        case (429, _): return false
        // RFC 6749 section 5.2; the grant is part of the request only if the request brings it itself.
        case (_, "invalid_client"), (_, "unauthorized_client"), (_, "unsupported_grant_type"): return false
        case (_, "invalid_grant"): return bearerToken != nil
        // RFC 9449 sections 5 and 8.
        case (_, "invalid_dpop_proof"), (_, "use_dpop_nonce"): return false
        case (403, nil): return true
        // The server found the address wrong, and the request named a part of it.
        case (400, nil), (404, nil), (410, nil), (422, nil): return standInPath
        // A server says no more about an unknown client.
        case (_, nil): return false
        default: return (400...499).contains(status)
        }
    }
}

/// Percent-encoding in a URI from another source (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// Whether a percent sign is not followed by two hexadecimal digits.
    package static func isBroken(_ text: String) -> Bool {
        var rest = text.utf8[...]
        while let sign = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[rest.index(after: sign)...]
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy(isHexadecimal) else { return true }
            rest = rest.dropFirst(2)
        }
        return false
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }
}
