/// The authority of a URL that a person or a token server has written: a host, perhaps with a port.
///
/// The same sets as of the `Authority` of a request, as `Host` and `PortSyntax` serve both. User information is the caller's
/// to refuse, who knows what to say of it.
package struct HostAndPort: Equatable, Sendable {
    package let host: Host
    /// Nil where none is written.
    package let port: UInt16?

    package enum Problem: Error {
        case host(Host.Problem)
        /// There are several colons and no brackets.
        case unbracketedIPv6
        /// It is no number from 1 to 65535.
        case port
    }

    package init(_ text: some StringProtocol) throws(Problem) {
        guard text.hasPrefix("[") || text.utf8.count(where: { $0 == UInt8(ascii: ":") }) < 2 else {
            throw .unbracketedIPv6
        }
        let colon = text.hasSuffix("]") ? nil : text.lastIndex(of: ":")
        do throws(Host.Problem) {
            host = try Host(text[..<(colon ?? text.endIndex)])
        } catch {
            throw .host(error)
        }
        guard let colon else {
            port = nil
            return
        }
        guard let port = PortSyntax.number(text[text.index(after: colon)...]) else { throw .port }
        self.port = port
    }
}
