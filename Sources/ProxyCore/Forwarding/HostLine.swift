package import HTTPWire

/// The end of the request line and the `Host` line after it, made once for each origin.
///
/// `Host` is the authority of the origin without a default port (RFC 9112 section 3.2).
package struct HostLine: Sendable, Equatable {
    package let bytes: [UInt8]
    package let scheme: Scheme

    /// The bytes before the authority.
    static let start: StaticString = " HTTP/1.1\r\nHost: "

    package init(_ origin: Origin) {
        let port = origin.port == origin.scheme.defaultPort ? "" : ":\(origin.port)"
        bytes = Array("\(Self.start)\(Host.inURI(origin.host))\(port)\r\n".utf8)
        scheme = origin.scheme
    }
}
