/// The authority of a URL written by a person or a token server: a host with an optional port.
///
/// It accepts the same hosts and ports as a request's `Authority`, because both use `HostSyntax` and `PortSyntax`.
/// The caller refuses user information, because it knows the right message.
package struct HostAndPort: Equatable, Sendable {
    package let host: Host
    /// The port; nil if none is written.
    package let port: UInt16?

    package enum Problem: Error {
        case host(Host.Problem)
        /// The text has several colons and no brackets.
        case unbracketedIPv6
        /// The port is not a number from 1 to 65535.
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
