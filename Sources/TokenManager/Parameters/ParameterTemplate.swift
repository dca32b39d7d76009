/// A setting whose text may differ for each request: `{host}` and `{header:Name}` stand for values of the request.
package struct ParameterTemplate: Sendable {
    /// Why a text is not a template.
    package struct Invalid: Error, Equatable, Sendable {
        /// The end of a sentence that begins with the setting's name.
        package let problem: String
    }

    private enum Piece {
        case text(String)
        case parameter(RequestParameter)
    }

    private let pieces: [Piece]

    /// Fields that cannot be parameters because they hold secrets.
    private static let secretFields: Set<String> = ["authorization", "cookie"]

    /// Reads a setting.
    package init(_ text: String) throws(Invalid) {
        var pieces: [Piece] = []
        var rest = text[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else { throw Self.stray }
            if open > rest.startIndex { pieces.append(.text(String(rest[..<open]))) }
            pieces.append(.parameter(try Self.parameter(rest[rest.index(after: open)..<close])))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        self.pieces = pieces
    }

    /// The parameters in the text, in their order.
    package var parameters: [RequestParameter] {
        pieces.compactMap { if case .parameter(let parameter) = $0 { parameter } else { nil } }
    }

    /// The text for one request.
    ///
    /// - Throws: The parameter whose value is missing or not allowed in this place.
    func filled(_ request: RequestParameters, for place: ParameterPlace) throws(UnusableParameter) -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let part): text += part
            case .parameter(let parameter):
                guard let value = request[parameter] else { throw UnusableParameter(parameter, nil) }
                guard place.allows(value) else { throw UnusableParameter(parameter, place) }
                text += value
            }
        }
        // A server may read these as steps in its paths.
        if place == .path, text == "." || text == "..", let first = parameters.first {
            throw UnusableParameter(first, place)
        }
        return text
    }

    private static let stray = Invalid(
        problem: "contains a brace that is not part of {host} or {header:Name}; correct or remove it")

    private static func parameter(_ text: Substring) throws(Invalid) -> RequestParameter {
        if text == "host" { return .host }
        guard text.hasPrefix("header:") else { throw stray }
        let name = text.dropFirst("header:".count).lowercased()
        guard FieldText.problem(field: name, scheme: nil) == nil, !secretFields.contains(name) else {
            throw Invalid(
                problem: "names a field that cannot select a token; write one as in {header:X-Tenant}")
        }
        return .field(name)
    }
}

/// A request lacks the value of a parameter, or its value is unusable.
struct UnusableParameter: Error, Equatable {
    let parameter: RequestParameter
    /// The place in which the value is not allowed; nil if the value is missing.
    let place: ParameterPlace?

    init(_ parameter: RequestParameter, _ place: ParameterPlace?) {
        self.parameter = parameter
        self.place = place
    }

    /// The error without a credential's name; it quotes no part of the request.
    var error: TokenError {
        guard parameter != .bearerToken else {
            return TokenError(
                kind: .subjectTokenUnusable,
                message: "the request has no bearer token of its own to exchange: "
                    + "send Authorization: Bearer with it")
        }
        let problem = place.map { "cannot be used: send \($0.rule)" } ?? "is missing: send it once"
        return TokenError(
            kind: .invalidParameter, message: "\(parameter.name) says which token the request needs, and \(problem)")
    }
}

/// The part of a token request that a request's value is used in, which decides which characters it may contain.
///
/// A client must not be able to request more than the setting intends: for instance a second scope or another path.
enum ParameterPlace: Sendable, Hashable {
    /// A segment of the token endpoint's path (RFC 3986 section 3.3, unreserved characters).
    case path
    /// One word of a scope (RFC 6749 section 3.3).
    case scope
    /// A part of an audience or resource, which is a URI without a fragment (RFC 8707 section 2).
    case uri

    /// The longest value in bytes; host names have up to 254.
    static let longestValue = 255

    /// Whether a value may be used here.
    func allows(_ value: String) -> Bool {
        (1...Self.longestValue).contains(value.utf8.count) && value.utf8.allSatisfy(allows)
            && !(self == .uri && PercentEncoding.isBroken(value))
    }

    /// Which values are allowed, as a part of a sentence.
    var rule: String {
        let length = "at most \(Self.longestValue)"
        return switch self {
        case .path: "\(length) letters, digits and -._~"
        case .scope: "one word of \(length) visible characters without quotes and backslashes"
        case .uri: "\(length) characters of a URI, without a fragment"
        }
    }

    private func allows(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: return true
        default: break
        }
        return switch self {
        case .path: "-._~".utf8.contains(byte)
        case .scope: (0x21...0x7e).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        case .uri: "-._~:/?[]@!$&'()*+,;=%".utf8.contains(byte)
        }
    }
}
