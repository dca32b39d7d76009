import HTTPWire
import ProxyCore

/// The URL of a backend: `https://backend.example:8443`.
///
/// Only scheme, host and port are allowed. Messages do not quote the rest, which may hold a password.
struct URLText: Equatable {
    let scheme: Scheme
    let host: String
    /// Nil if the text has no port.
    let port: UInt16?

    static func origin(_ text: String) throws(ValueError) -> Origin { try URLText(text).origin }

    var origin: Origin { Origin(scheme: scheme, host: host, port: port ?? scheme.defaultPort) }

    init(_ text: String) throws(ValueError) {
        guard let separator = text.firstRange(of: "://"),
            let scheme = Scheme(rawValue: text[..<separator.lowerBound].lowercased())
        else { throw ValueError("is not a URL; write one that begins with https:// or http://") }
        let rest = text[separator.upperBound...]
        let authorityEnd = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let authority = rest[..<authorityEnd]
        guard !authority.contains("@") else {
            throw ValueError("contains a user name or password; take it out and use a credential")
        }
        guard rest[authorityEnd...].isEmpty || rest[authorityEnd...] == "/" else {
            throw ValueError("contains a path, query or fragment; write scheme, host and port only")
        }
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

    private static func error(_ problem: HostAndPort.Problem, _ scheme: Scheme) -> ValueError {
        switch problem {
        case .host(let problem): HostText.error(problem)
        case .unbracketedIPv6:
            ValueError("has an IPv6 address without brackets; write it as in \(scheme.rawValue)://[::1]:8080")
        case .port: ValueError("has a port that is not a number from 1 to 65535")
        }
    }
}
