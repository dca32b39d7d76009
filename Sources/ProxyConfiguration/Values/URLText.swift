import HTTPWire
import ProxyCore

/// The URL of a backend: `https://backend.example:8443`.
///
/// Only scheme, host and port are allowed, and a path for the upstream of a route. Messages do not quote the rest, which may hold a password.
struct URLText: Equatable {
    let scheme: Scheme
    let host: String
    /// Nil if the text has no port.
    let port: UInt16?
    /// The path without a slash at its end; empty for `/`.
    let path: String

    /// A URL that may have a path.
    static func upstream(_ text: String) throws(ValueError) -> URLText { try URLText(text, allowsPath: true) }

    /// A URL without a path.
    static func backend(_ text: String) throws(ValueError) -> URLText { try URLText(text, allowsPath: false) }

    var origin: Origin { Origin(scheme: scheme, host: host, port: port ?? scheme.defaultPort) }

    private init(_ text: String, allowsPath: Bool) throws(ValueError) {
        guard let separator = text.firstRange(of: "://"),
            let scheme = Scheme(rawValue: text[..<separator.lowerBound].lowercased())
        else { throw ValueError("is not a URL; write one that begins with https:// or http://") }
        let rest = text[separator.upperBound...]
        let authorityEnd = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        guard !authority.contains("@") else {
            throw ValueError("contains a user name or password; take it out and use a credential")
        }
        path = try Self.path(String(rest[authorityEnd...]), isAllowed: allowsPath)
        self.scheme = scheme
        let place: HostAndPort
        do throws(HostAndPort.Problem) {
            place = try HostAndPort(authority)
        } catch {
            throw Self.error(error, scheme)
        }
        host = place.host.text
        port = place.port
    }

    private static func path(_ text: String, isAllowed: Bool) throws(ValueError) -> String {
        guard isAllowed else {
            guard text.isEmpty || text == "/" else {
                throw ValueError("contains a path, query or fragment; write scheme, host and port only")
            }
            return ""
        }
        guard !text.contains("?"), !text.contains("#") else {
            throw ValueError("contains a query or fragment; write scheme, host, port and path only")
        }
        var path = text.isEmpty ? "" : try PathText.parse(text)
        while path.hasSuffix("/") { path.removeLast() }
        return path
    }

    private static func error(_ problem: HostAndPort.Problem, _ scheme: Scheme) -> ValueError {
        switch problem {
        case .host(let problem): HostText.error(problem)
        case .unbracketedIPv6:
            ValueError("has an IPv6 address without brackets; write it as in \(scheme.rawValue)://[::1]:8080")
        case .port: ValueError("has a port that is not a number from 1 to 65535")
        }
    }
}

/// The form of a resource by RFC 8707 section 2: a URI with a scheme (RFC 3986 section 4.3) and without a fragment.
enum AbsoluteURI {
    static func matches(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = text.utf8[..<colon]
        let rest = text.utf8[colon...].dropFirst()
        guard let first = scheme.first, isLetter(first), scheme.allSatisfy(isOfScheme), !rest.isEmpty else {
            return false
        }
        return rest.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }

    private static func isOfScheme(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: isLetter(byte)
        }
    }
}
