import HTTPWire

/// An IP address that a person has written, in one spelling for each address, so that equal addresses are equal texts.
///
/// The configuration reads addresses by the rules for request targets.
package enum IPLiteral: Equatable {
    case v4(String)
    /// As RFC 5952 writes it, without brackets.
    case v6(String)

    /// Nil for everything that is not four decimal numbers or an IPv6 address without brackets and zone.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        if let address = IPv6Text(bytes.span) {
            self = .v6(address.withBare { String(copying: $0) })
        } else if HostSyntax.isIPv4(bytes.span, 0, bytes.count) {
            self = .v4(String(text))
        } else {
            return nil
        }
    }

    package var isLoopback: Bool {
        switch self {
        case .v4(let text): text.hasPrefix("127.")
        case .v6(let text): text == "::1"
        }
    }

    package var text: String {
        switch self {
        case .v4(let text), .v6(let text): text
        }
    }
}

extension String {
    fileprivate init(copying bytes: Span<UInt8>) {
        var copy: [UInt8] = []
        copy.append(copying: bytes)
        self.init(decoding: copy, as: UTF8.self)
    }
}
