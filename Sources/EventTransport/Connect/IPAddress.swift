import CLibevent

/// An IPv4 or IPv6 address as a plain value.
///
/// An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) becomes its IPv4 address, so that no rule about addresses can be
/// evaded by another spelling.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    package static let loopbackV4 = IPAddress(isIPv6: false, high: 0, low: 0x7f00_0001, scope: 0)
    package static let loopbackV6 = IPAddress(isIPv6: true, high: 0, low: 1, scope: 0)

    // Larger fields first: every connection holds an address.
    let high: UInt64
    /// The whole IPv4 address is in the low 32 bits.
    let low: UInt64
    /// The interface of a link-local IPv6 address; 0 if none is named.
    let scope: UInt32
    package let isIPv6: Bool

    private init(isIPv6: Bool, high: UInt64, low: UInt64, scope: UInt32) {
        self.isIPv6 = isIPv6
        self.high = high
        self.low = low
        self.scope = scope
    }

    init(_ raw: attache_address) {
        self.init(isIPv6: raw.is_ipv6, high: raw.high, low: raw.low, scope: raw.scope)
    }

    /// Reads `127.0.0.1`, `::1` or `fe80::1%eth0`; nil for a name, a bracket or a port.
    ///
    /// Accepts the addresses that requests and configurations accept, and those with a zone, which occur in the
    /// system's own files.
    package init?(literal: String) {
        var raw = attache_address()
        // SAFETY: the text is lent for the call; if it contained a zero, the shim would read only its beginning.
        guard !literal.utf8.contains(0), unsafe attache_address_parse(literal, &raw) else { return nil }
        self.init(raw)
    }

    package var description: String {
        let raw = SocketAddress(self, port: 0).raw
        // SAFETY: the shim writes at most INET6_ADDRSTRLEN bytes and ends them with a zero.
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            guard let start = text.baseAddress else { return "" }
            unsafe attache_address_print(raw, start)
            return unsafe String(cString: start)
        }
    }
}
