import HTTPWire

/// The end of the request line and the `Host` line after it, made once for each origin.
///
/// `Host` is the authority of the origin without a default port (RFC 9112 section 3.2).
package struct HostLine: Sendable, Equatable {
    package let bytes: [UInt8]
    /// Scheme and authority: the beginning of every URI of this origin.
    package let uri: String

    package init(_ origin: Origin) {
        let host = origin.host.contains(":") ? "[\(origin.host)]" : origin.host
        let port = origin.port == origin.scheme.defaultPort ? "" : ":\(origin.port)"
        bytes = Array(" HTTP/1.1\r\nHost: \(host)\(port)\r\n".utf8)
        uri = "\(origin.scheme.rawValue)://\(host)\(port)"
    }
}
