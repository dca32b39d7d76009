package import HTTPWire

/// The destination of a CONNECT tunnel that Attaché terminates: what their targets mean.
///
/// Inside the tunnel, an app sends the path alone, as to an origin server. It means the destination of the tunnel.
package final class TerminatedTunnel: Sendable {
    /// In lower case, an IPv6 address without brackets.
    private let host: String
    private let port: UInt16
    /// The number of the route that terminates the tunnel.
    package let route: Int
    /// The scheme and authority of the requests inside.
    private let origin: [UInt8]

    package init(host: String, port: UInt16, route: Int) {
        self.host = host
        self.port = port
        self.route = route
        origin = Array("http://\(Host.inURI(host))\(port == 80 ? "" : ":\(port)")".utf8)
    }

    /// The host, and the port unless it is 80.
    package var place: String { String(decoding: origin.dropFirst(7), as: UTF8.self) }

    /// The number of bytes by which `absolute` is longer than its head.
    package var addedByteCount: Int { origin.count }

    /// Whether the head's `Host` names the tunnel's destination, or nothing.
    ///
    /// A backend behind the tunnel would choose its answer by this field, and the tunnel is what the operator's rules were
    /// asked about (RFC 9112 section 3.2).
    package func isNamed(by head: borrowing RequestHead, in bytes: Span<UInt8>) -> Bool {
        guard let field = head.fields.first(.host), !field.value.isEmpty else { return true }
        var text: [UInt8] = []
        text.append(copying: bytes, field.value)
        // A final dot names the same host (see `TargetHost`).
        var name = String(decoding: text, as: UTF8.self).replacing(".:", with: ":")
        if name.hasSuffix(".") { name.removeLast() }
        guard let named = try? HostAndPort(name) else { return false }
        return named.host.text == host && (named.port ?? port) == port
    }

    /// The head with its target in absolute-form, for one in origin-form or `*`.
    package func absolute(_ head: borrowing RequestHead, in bytes: Span<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(head.byteCount + origin.count)
        out.append(copying: bytes.extracting(..<head.targetText.lowerBound))
        out += origin
        if case .origin = head.target { out.append(copying: bytes, head.targetText) }
        out.append(copying: bytes.extracting(head.targetText.upperBound..<head.byteCount))
        return out
    }
}
