import HTTPWire

/// The address of a token server, checked so that it can be used in a request without change.
///
/// Only `http` and `https` are accepted. User information and fragments are refused (RFC 6749 section 3.2), as are
/// bytes other than visible ASCII, and a length that servers need not support. A value type; it holds no secret.
public struct TokenURL: Sendable, Hashable, CustomStringConvertible {
    /// The scheme of a token server's address.
    public enum Scheme: String, Sendable, Hashable {
        /// Plain text: an eavesdropper gets the secret, but the library does not refuse it.
        case http
        /// TLS, with the server's name and chain verified.
        case https

        /// 80 or 443.
        public var defaultPort: UInt16 { self == .http ? 80 : 443 }
    }

    /// Why a text is not the address of a token server.
    public struct InvalidURL: Error, Equatable, Sendable, CustomStringConvertible {
        /// A sentence for a person; it quotes no part of the text, which may hold a password.
        public let description: String
    }

    /// No server has to accept a longer address (RFC 9110 section 4.1).
    package static let longest = 8000

    /// The scheme, which decides whether TLS is used.
    public let scheme: Scheme
    /// The host in lower case; an IPv6 address is without its brackets, in the one spelling of RFC 5952.
    public let host: String
    /// The port, given or the scheme's own.
    public let port: UInt16
    /// The path with its query, at least "/".
    public let path: String

    /// Reads an address such as `https://idp.example:8443/oauth2/token?tenant=a`.
    ///
    /// - Parameter text: The whole address.
    /// - Throws: `InvalidURL` with the reason.
    public init(_ text: String) throws(InvalidURL) {
        guard text.utf8.count <= Self.longest else {
            throw InvalidURL(description: "the URL is longer than \(Self.longest) bytes")
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw InvalidURL(description: "the URL contains a space, a control or a non-ASCII character")
        }
        guard let separator = Self.schemeEnd(of: text) else {
            throw InvalidURL(description: "the URL does not begin with http:// or https://")
        }
        scheme = separator.scheme
        let rest = separator.rest
        guard !rest.contains("#") else {
            throw InvalidURL(description: "the URL contains a fragment (#), which is never sent")
        }
        let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        guard !authority.contains("@") else {
            throw InvalidURL(description: "the URL contains a user name or password; give them as clientId and secret")
        }
        do throws(HostAndPort.Problem) {
            let place = try HostAndPort(authority)
            host = place.host.text
            port = place.port ?? scheme.defaultPort
        } catch {
            throw InvalidURL(description: Self.words(for: error))
        }
        let tail = rest[authorityEnd...]
        path = tail.hasPrefix("/") ? String(tail) : "/" + tail
    }

    private init(scheme: Scheme, host: String, port: UInt16, path: String) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }

    /// The host, with its port unless that is the scheme's own, as in a `Host` field.
    public var authority: String {
        let name = Host.inURI(host)
        return port == scheme.defaultPort ? name : "\(name):\(port)"
    }

    /// The whole address.
    public var description: String { "\(scheme.rawValue)://\(authority)\(path)" }

    /// The same address with more path segments, each percent-encoded, before the query.
    ///
    /// - Parameter segments: The segments to add, without slashes between them.
    /// - Returns: The longer address.
    package func appending(_ segments: [String]) -> TokenURL {
        let queryStart = path.firstIndex(of: "?") ?? path.endIndex
        var longer = String(path[..<queryStart])
        while longer.hasSuffix("/") { longer.removeLast() }
        for segment in segments {
            longer += "/" + FormEncoding.percentEncoded(segment)
        }
        return TokenURL(scheme: scheme, host: host, port: port, path: longer + path[queryStart...])
    }

    /// The same address with more fields in its query.
    func asking(_ fields: [TokenParameter]) -> TokenURL {
        guard !fields.isEmpty else { return self }
        let separator = path.contains("?") ? "&" : "?"
        return replacing(path: path + separator + String(decoding: FormEncoding.form(fields), as: UTF8.self))
    }

    /// Another path on the same server.
    ///
    /// - Parameter path: The other path, which begins with a slash.
    /// - Returns: Its address.
    package func replacing(path: String) -> TokenURL { TokenURL(scheme: scheme, host: host, port: port, path: path) }

    private static func schemeEnd(of text: String) -> (scheme: Scheme, rest: Substring)? {
        for scheme in [Scheme.http, Scheme.https] {
            let prefix = scheme.rawValue + "://"
            if text.prefix(prefix.count).lowercased() == prefix {
                return (scheme, text.dropFirst(prefix.count))
            }
        }
        return nil
    }

    private static func words(for problem: HostAndPort.Problem) -> String {
        switch problem {
        case .host(.brackets): "the URL's brackets contain no IPv6 address"
        case .host(.number): "the URL's host is an IPv4 address in a form other than four decimal numbers"
        case .host(.name), .host(.notASCII): "the URL's host is missing, too long, or not a host name"
        case .unbracketedIPv6: "the URL's host is an IPv6 address without brackets"
        case .port: "the URL's port is not a number from 1 to 65535"
        }
    }
}
