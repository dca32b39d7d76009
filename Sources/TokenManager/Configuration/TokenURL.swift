/// The address of a token server, checked so that it can be put into a request as it is.
///
/// Only `http` and `https`; user information and fragments are refused (RFC 6749 section 3.2), so is every byte that
/// is not visible ASCII, and a length that servers need not understand. A value type; it holds no secret.
public struct TokenURL: Sendable, Hashable, CustomStringConvertible {
    /// How the token server is reached.
    public enum Scheme: String, Sendable, Hashable {
        /// Plain text: whoever listens gets the secret. The library does not refuse it.
        case http
        /// TLS, with the server's name and chain verified.
        case https

        /// 80 or 443.
        public var defaultPort: UInt16 { self == .http ? 80 : 443 }
    }

    /// Why a text is not the address of a token server.
    public struct InvalidURL: Error, Equatable, Sendable, CustomStringConvertible {
        /// A sentence for a person; it quotes nothing of the text, which may hold a password.
        public let description: String
    }

    /// No server has to take a longer address (RFC 9110 section 4.1).
    package static let longest = 8000
    /// No host name is longer (RFC 1035 section 2.3.4).
    package static let longestHost = 253

    /// The scheme, which decides about TLS.
    public let scheme: Scheme
    /// The host in lower case; an IPv6 address is without its brackets.
    public let host: String
    /// The port, given or the scheme's own.
    public let port: UInt16
    /// The path with its query, at least "/".
    public let path: String

    /// Reads an address such as `https://idp.example:8443/oauth2/token?tenant=a`.
    ///
    /// - Parameter text: The whole address.
    /// - Throws: `InvalidURL` with what is wrong.
    public init(_ text: String) throws(InvalidURL) {
        guard text.utf8.count <= Self.longest else {
            throw InvalidURL(description: "the URL is longer than \(Self.longest) bytes")
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw InvalidURL(description: "the URL holds a space, a control or a non-ASCII character")
        }
        guard let separator = Self.schemeEnd(of: text) else {
            throw InvalidURL(description: "the URL does not begin with http:// or https://")
        }
        scheme = separator.scheme
        let rest = separator.rest
        guard !rest.contains("#") else {
            throw InvalidURL(description: "the URL holds a fragment (#), which is never sent")
        }
        let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        guard !authority.contains("@") else {
            throw InvalidURL(description: "the URL holds a user name or password; give them as clientId and secret")
        }
        let parts = try Self.split(authority)
        guard parts.host.utf8.count <= Self.longestHost else {
            throw InvalidURL(description: "the URL's host is longer than \(Self.longestHost) bytes")
        }
        host = parts.host
        port = parts.port ?? scheme.defaultPort
        let tail = rest[authorityEnd...]
        path = tail.hasPrefix("/") ? String(tail) : "/" + tail
    }

    private init(scheme: Scheme, host: String, port: UInt16, path: String) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
    }

    /// The host with its port where that is not the scheme's own, as a `Host` field wants it.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
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

    /// Another place on the same server.
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

    private static func split(_ authority: Substring) throws(InvalidURL) -> (host: String, port: UInt16?) {
        let host: Substring
        let portText: Substring
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]") else {
                throw InvalidURL(description: "the URL's IPv6 address lacks its closing bracket")
            }
            host = authority[authority.index(after: authority.startIndex)..<close]
            portText = authority[authority.index(after: close)...]
            guard host.contains(":"), host.utf8.allSatisfy(Self.isAddressByte) else {
                throw InvalidURL(description: "the URL's brackets hold no IPv6 address")
            }
        } else {
            let colon = authority.firstIndex(of: ":") ?? authority.endIndex
            host = authority[..<colon]
            portText = authority[colon...]
            guard !host.isEmpty, host.utf8.allSatisfy(Self.isNameByte) else {
                throw InvalidURL(description: "the URL's host is missing or holds characters that no host name has")
            }
        }
        guard !portText.isEmpty else { return (host.lowercased(), nil) }
        let digits = portText.dropFirst()
        guard portText.hasPrefix(":"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits), port > 0
        else {
            throw InvalidURL(description: "the URL's port is not a number from 1 to 65535")
        }
        return (host.lowercased(), port)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66, UInt8(ascii: ":"), UInt8(ascii: "."): true
        default: false
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }
}
