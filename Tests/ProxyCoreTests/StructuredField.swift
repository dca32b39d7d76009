/// An item of a structured field, read strictly by the grammar of RFC 9651 section 4.2.
///
/// It is a token with parameters that are tokens or strings; anything else is nil.
struct StructuredField: Equatable {
    let token: String
    let parameters: [String: String]

    init?(_ text: String) {
        var rest = Substring(text)
        guard let token = Self.token(&rest) else { return nil }
        self.token = token
        var parameters: [String: String] = [:]
        while rest.first == ";" {
            rest.removeFirst()
            rest = rest.drop { $0 == " " }
            let key = rest.prefix { $0.isASCII && ($0.isLowercase || $0.isNumber || "_-.*".contains($0)) }
            guard let first = key.first, first.isLowercase || first == "*" else { return nil }
            rest = rest.dropFirst(key.count)
            guard rest.first == "=" else { return nil }
            rest.removeFirst()
            guard let value = rest.first == "\"" ? Self.string(&rest) : Self.token(&rest) else { return nil }
            guard parameters.updateValue(value, forKey: String(key)) == nil else { return nil }
        }
        guard rest.isEmpty else { return nil }
        self.parameters = parameters
    }

    private static func token(_ rest: inout Substring) -> String? {
        let token = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~:/".contains($0)) }
        guard let first = token.first, first.isLetter || first == "*" else { return nil }
        rest = rest.dropFirst(token.count)
        return String(token)
    }

    /// Scalar by scalar, since a quote and a combining mark are one Character.
    private static func string(_ rest: inout Substring) -> String? {
        var out = String.UnicodeScalarView()
        var scalars = rest.unicodeScalars.dropFirst()
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\"":
                rest = Substring(scalars)
                return String(out)
            case "\\":
                guard let escaped = scalars.popFirst(), escaped == "\"" || escaped == "\\" else { return nil }
                out.append(escaped)
            case " "..."~": out.append(scalar)
            default: return nil
            }
        }
        return nil
    }
}
