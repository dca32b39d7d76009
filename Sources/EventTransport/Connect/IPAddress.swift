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

    /// Whether the address is in 127.0.0.0/8 or is ::1.
    package var isLoopback: Bool { isIPv6 ? self == Self.loopbackV6 : low >> 24 == 127 }

    /// Whether cloud metadata services may have this address: link-local (169.254.0.0/16, fe80::/10), or one used by
    /// a single cloud.
    package var isLinkLocal: Bool {
        guard isIPv6 else { return Self.isLinkLocalV4(UInt32(truncatingIfNeeded: low)) }
        if high >> 54 == 0xfe80 >> 6 { return true }
        // fd00:ec2::254 of Amazon and fd20:ce::254 of Google.
        if low == 0x254, high == 0xfd00_0ec2_0000_0000 || high == 0xfd20_00ce_0000_0000 { return true }
        return embeddedV4.contains(where: Self.isLinkLocalV4)
    }

    private static func isLinkLocalV4(_ address: UInt32) -> Bool {
        // 100.100.100.200 of Alibaba and 168.63.129.16 of Azure.
        address >> 16 == 0xa9fe || address == 0x6464_64c8 || address == 0xa83f_8110
    }

    /// The IPv4 addresses to which a NAT64 translator may forward this address.
    ///
    /// That concerns the well-known prefix 64:ff9b::/96, and 64:ff9b:1::/48 of RFC 8215. Only the operator knows how
    /// long a prefix he uses in the latter, so the address is read after each length of RFC 6052 section 2.2.
    private var embeddedV4: [UInt32] {
        if high == 0x0064_ff9b_0000_0000, low >> 32 == 0 { return [UInt32(truncatingIfNeeded: low)] }
        guard high >> 16 == 0x0064_ff9b_0001 else { return [] }
        let places = [
            (high & 0xffff) << 16 | (low >> 40) & 0xffff, (high & 0xff) << 24 | (low >> 32) & 0xff_ffff,
            low >> 24, low,
        ]
        return places.map { UInt32(truncatingIfNeeded: $0) }
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
