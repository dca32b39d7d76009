/// Where a value that a request names goes in a token request, which decides what it may consist of.
///
/// Whoever sends requests must not be able to ask for more than the setting means: for a second scope, for another path.
enum ParameterPlace: Sendable, Hashable {
    /// A segment of the token endpoint's path (RFC 3986 section 3.3, unreserved characters).
    case path
    /// One word of a scope (RFC 6749 section 3.3).
    case scope
    /// A part of an audience or resource, which is a URI without a fragment (RFC 8707 section 2).
    case uri

    /// In bytes; host names have up to 254.
    static let longestValue = 255

    /// Whether a value may stand here.
    func allows(_ value: String) -> Bool {
        (1...Self.longestValue).contains(value.utf8.count) && value.utf8.allSatisfy(allows)
            && !(self == .uri && PercentEncoding.isBroken(value))
    }

    /// What a value may be, as a part of a sentence.
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
