/// Where a request is sent: scheme, host and port (RFC 9110 section 4.3.1).
///
/// Two origins are the same only if all three are equal, so whoever makes one gives the host in lower case and an
/// IPv6 address without brackets.
package struct Origin: Hashable, Sendable, CustomStringConvertible {
    package let scheme: Scheme
    package let host: String
    package let port: UInt16

    package init(scheme: Scheme, host: String, port: UInt16) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Whether the host is this machine by its own text: `localhost`, 127.0.0.0/8 or ::1.
    ///
    /// No name is resolved, and unusual spellings of an address (`127.1`) count as elsewhere.
    package var isLoopback: Bool { Self.isLoopback(host: host) }

    package var description: String {
        host.utf8.contains(UInt8(ascii: ":"))
            ? "\(scheme.rawValue)://[\(host)]:\(port)" : "\(scheme.rawValue)://\(host):\(port)"
    }

    /// The same question for a host alone, in lower case and without brackets.
    package static func isLoopback(host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        // Four decimal numbers only: `127.example` is a name that anybody may own.
        let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4, Substring(parts[0]) == "127" else { return false }
        return parts.allSatisfy { part in
            (1...3).contains(part.count)
                && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                && UInt8(Substring(part)) != nil
        }
    }
}
