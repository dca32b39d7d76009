import HTTPWire

/// Addresses to listen on: `127.0.0.1:3128`, `[::1]:3128`, `localhost:3128`; port 0 lets the system choose.
enum AddressText {
    static func parse(_ text: String) throws(ValueError) -> ListenerConfiguration {
        guard !text.hasPrefix("unix:") else {
            throw ValueError("Unix sockets are not supported yet; write host:port, as in 127.0.0.1:3128")
        }
        guard let colon = text.lastIndex(of: ":"),
            let port = PortSyntax.number(text[text.index(after: colon)...], zeroAllowed: true)
        else { throw ValueError("is not an address to listen on; write host:port, as in 127.0.0.1:3128 or [::1]:3128") }
        let host = text[..<colon]
        switch try? Host(host) {
        case .name("localhost"): return ListenerConfiguration(host: "127.0.0.1", port: port)
        case .v4(let address): return ListenerConfiguration(host: address, port: port)
        case .v6(let address):
            guard host.hasPrefix("[") else {
                throw ValueError("has an IPv6 address without brackets; write it as in [::1]:3128")
            }
            return ListenerConfiguration(host: address, port: port)
        case .name, nil:
            throw ValueError(
                "has a host that is not an IP address; write one of this machine's, as in 127.0.0.1:3128 or [::1]:3128")
        }
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
