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
