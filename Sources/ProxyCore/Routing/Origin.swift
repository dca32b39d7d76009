package import HTTPWire

/// Where a request is sent: scheme, host and port (RFC 9110 section 4.3.1).
///
/// Two origins are the same only if all three parts are equal. So its makers give the host in lower case and an IPv6
/// address without brackets.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: Scheme
    package let host: String
    package let port: UInt16

    package init(scheme: Scheme, host: String, port: UInt16) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Whether the host's text names this machine, as `Host` defines it.
    package var isLoopback: Bool { (try? Host(host))?.isLoopback ?? false }

    package var description: String { "\(scheme.rawValue)://\(Host.inURI(host)):\(port)" }
}

/// The host of a target in the one spelling that routes, origins and tokens use.
///
/// A final dot names the DNS root and the same host, so it is left out (RFC 1034 section 3.1). An IPv6 address is
/// written as in RFC 5952, and an IPv4-mapped one as its IPv4 address. Letters keep their case.
enum TargetHost {
    case name(ByteRange)
    case address(IPv6Text)

    init(_ host: ByteRange, in bytes: Span<UInt8>) {
        if bytes[host.lowerBound] == UInt8(ascii: "[") {
            self = .address(IPv6Text(bytes, ByteRange(host.lowerBound + 1, host.upperBound - 1)))
        } else if bytes[host.upperBound - 1] == UInt8(ascii: ".") {
            self = .name(ByteRange(host.lowerBound, host.upperBound - 1))
        } else {
            self = .name(host)
        }
    }

    /// Lends the host without brackets.
    func withBare<Result>(in bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Result) -> Result {
        switch self {
        case .name(let range): body(bytes.extracting(range.lowerBound..<range.upperBound))
        case .address(let address): address.withBare(body)
        }
    }

    /// Lends the host as it stands in a URI, an IPv6 address in brackets.
    func withURIHost<Result>(in bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Result) -> Result {
        switch self {
        case .name(let range): body(bytes.extracting(range.lowerBound..<range.upperBound))
        case .address(let address): address.withBracketed(body)
        }
    }
}
