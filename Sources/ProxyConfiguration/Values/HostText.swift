import HTTPWire

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
