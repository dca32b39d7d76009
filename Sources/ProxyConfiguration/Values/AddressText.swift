import HTTPWire

/// Addresses to listen on.
///
/// `127.0.0.1:3128`, `[::1]:3128` or `localhost:3128`, where port 0 lets the system choose; a Unix socket: `unix:/path`, or
/// `unix:@name` in Linux's abstract namespace; or a socket that systemd passes: `systemd`, or `systemd:name`.
enum AddressText {
    /// The most bytes of a Unix socket's path or abstract name (unix(7)).
    private static let pathLimit = 107
    private static let form = "write an absolute path, as in unix:/run/attache/proxy.sock"

    static func parse(_ text: String) throws(ValueError) -> ListenAddress {
        if text == "systemd" { return .systemd(nil) }
        if text.hasPrefix("systemd:") { return try systemd(String(text.dropFirst("systemd:".count))) }
        if text.hasPrefix("unix:") { return try unix(String(text.dropFirst("unix:".count))) }
        guard let colon = text.lastIndex(of: ":"),
            let port = PortSyntax.number(text[text.index(after: colon)...], zeroAllowed: true)
        else {
            throw ValueError(
                "is not an address to listen on; write host:port, as in 127.0.0.1:3128 or [::1]:3128, or unix:/path")
        }
        let host = text[..<colon]
        switch try? Host(host) {
        case .name("localhost"): return .tcp(host: "127.0.0.1", port: port)
        case .v4(let address): return .tcp(host: address, port: port)
        case .v6(let address):
            guard host.hasPrefix("[") else {
                throw ValueError("has an IPv6 address without brackets; write it as in [::1]:3128")
            }
            return .tcp(host: address, port: port)
        case .name, nil:
            throw ValueError(
                "has a host that is not an IP address; write one of this machine's, as in 127.0.0.1:3128 or [::1]:3128")
        }
    }

    /// A name as `FileDescriptorName=` takes it (systemd.socket(5)).
    private static func systemd(_ name: String) throws(ValueError) -> ListenAddress {
        guard (1...255).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: ":") })
        else {
            throw ValueError(
                "is not the name of a socket of systemd; write that of FileDescriptorName=, as in systemd:proxy")
        }
        return .systemd(name)
    }

    private static func unix(_ path: String) throws(ValueError) -> ListenAddress {
        guard path.hasPrefix("/") || path.hasPrefix("@"), path.utf8.count > 1 else {
            throw ValueError("is not the path of a Unix socket; \(form)")
        }
        guard !path.hasPrefix("/") || !path.hasSuffix("/") else { throw ValueError("is a folder; \(form)") }
        guard path.utf8.count <= pathLimit else {
            throw ValueError(
                "has a path of \(path.utf8.count) bytes, and the path of a Unix socket has at most \(pathLimit); choose a shorter one"
            )
        }
        return .unix(path)
    }
}

/// Host names and addresses in a configuration, with a message for an invalid one.
enum HostText {
    /// A name in lower case, or an IP address without brackets.
    static func parse(whole text: String) throws(ValueError) -> String { try host(text).text }

    static func host(_ text: some StringProtocol) throws(ValueError) -> Host {
        do throws(Host.Problem) {
            return try Host(text)
        } catch {
            throw self.error(error)
        }
    }

    static func error(_ problem: Host.Problem) -> ValueError {
        switch problem {
        case .brackets: ValueError("has brackets without an IPv6 address in them; write it as in [::1]")
        case .notASCII: ValueError("has a host with characters outside ASCII; write its xn-- form")
        case .name: ValueError("is not a host name; write one as in backend.example, without scheme, port or path")
        case .number:
            ValueError("is neither a host name nor an IP address; write an IPv4 address as four numbers")
        }
    }
}
