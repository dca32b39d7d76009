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
