/// A host written by a person or a token server, in the one spelling that routes and origins compare.
///
/// `HostSyntax` decides what is a host, for requests as well. The only difference is a final dot, which is refused
/// here and removed there: a client may send one, but a configured host is resolved, sent and compared with
/// certificates, which do not know such names.
package enum Host: Equatable, Sendable {
    /// A name in lower case.
    case name(String)
    /// An IPv4 address: four decimal numbers without leading zeros.
    case v4(String)
    /// An IPv6 address in the form of RFC 5952, without brackets; never an IPv4-mapped one, which is written as `v4`.
    case v6(String)

    /// Why a text is not a host.
    package enum Problem: Error {
        /// It holds characters outside ASCII.
        case notASCII
        /// It has brackets without an IPv6 address in them.
        case brackets
        /// It ends in a number and is not an IPv4 address: `127.1` is an address to some programs and a name to
        /// others.
        case number
        /// It is not a name for another reason.
        case name
    }

    /// Reads a name or an address; an IPv6 address may have its brackets.
    package init(_ text: some StringProtocol) throws(Problem) {
        let bytes = Array(text.utf8)
        if bytes.first == UInt8(ascii: "[") {
            guard bytes.count > 2, bytes.last == UInt8(ascii: "]"),
                let address = IPv6Text(bytes.span.extracting(1..<bytes.count - 1))
            else { throw .brackets }
            self = Self.address(address.text)
        } else if let address = IPv6Text(bytes.span) {
            self = Self.address(address.text)
        } else if HostSyntax.isIPv4(bytes.span, 0, bytes.count) {
            self = .v4(String(text))
        } else {
            guard bytes.allSatisfy({ $0 < 0x80 }) else { throw .notASCII }
            guard bytes.last != UInt8(ascii: "."),
                let (end, lastLabel) = HostSyntax.endOfName(bytes.span, 0, bytes.count), end == bytes.count
            else { throw .name }
            guard !HostSyntax.isNumber(bytes.span, lastLabel) else { throw .number }
            self = .name(text.lowercased())
        }
    }

    private static func address(_ text: String) -> Host {
        text.utf8.contains(UInt8(ascii: ":")) ? .v6(text) : .v4(text)
    }

    /// The host without brackets.
    package var text: String {
        switch self {
        case .name(let text), .v4(let text), .v6(let text): text
        }
    }

    package var isAddress: Bool {
        if case .name = self { false } else { true }
    }

    /// Whether the text names this machine: `localhost`, 127.0.0.0/8 (also written as IPv6) or ::1.
    ///
    /// No name is resolved.
    package var isLoopback: Bool {
        switch self {
        case .name(let text): text == "localhost"
        case .v4(let text): text.hasPrefix("127.")
        case .v6(let text): text == "::1"
        }
    }

    /// The host as it stands in a URI, an IPv6 address in brackets; `text` has none.
    package static func inURI(_ text: String) -> String {
        text.utf8.contains(UInt8(ascii: ":")) ? "[\(text)]" : text
    }
}

extension IPv6Text {
    fileprivate var text: String {
        withBare { bytes in
            var copy: [UInt8] = []
            copy.append(copying: bytes)
            return String(decoding: copy, as: UTF8.self)
        }
    }
}

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
