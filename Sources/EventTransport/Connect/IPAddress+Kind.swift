/// Which addresses an app must not reach through Attaché, unless the operator names the destination.
extension IPAddress {
    /// Whether the address is in 127.0.0.0/8 or is ::1.
    package var isLoopback: Bool { isIPv6 ? self == Self.loopbackV6 : low >> 24 == 127 }

    /// Whether connecting to it reaches this machine: a loopback address, or the unspecified one.
    var isThisMachine: Bool { isLoopback || isUnspecified }

    /// Whether it is 0.0.0.0 or ::, on which a listener listens at all addresses.
    package var isUnspecified: Bool { high == 0 && low == 0 }

    /// Whether cloud metadata services may have this address: link-local (169.254.0.0/16, fe80::/10), or one used by
    /// a single cloud.
    package var isLinkLocal: Bool {
        guard isIPv6 else { return Self.isLinkLocalV4(UInt32(truncatingIfNeeded: low)) }
        if high >> 54 == 0xfe80 >> 6 { return true }
        // fd00:ec2::254 of Amazon and fd20:ce::254 of Google.
        if low == 0x254, high == 0xfd00_0ec2_0000_0000 || high == 0xfd20_00ce_0000_0000 { return true }
        return embeddedV4.contains(where: Self.isLinkLocalV4)
    }

    /// Whether the address belongs to one machine of the public network.
    package var isPublic: Bool {
        guard isIPv6 else { return !Self.isSpecialV4(UInt32(truncatingIfNeeded: low)) }
        // Unspecified, loopback, and the deprecated form of an IPv4 address (RFC 4291 sections 2.5.2, 2.5.3, 2.5.5.1).
        if high == 0, low >> 32 == 0 { return false }
        let first = high >> 48
        // fc00::/7 private, fe80::/10 link-local, fec0::/10 once private, ff00::/8 multicast.
        if first & 0xfe00 == 0xfc00 || first & 0xff80 == 0xfe80 || first & 0xff00 == 0xff00 { return false }
        // 100::/64, which discards, and 64:ff9b:1::/48, whose meaning only the operator knows (RFC 6666, RFC 8215).
        if high == 0x0100_0000_0000_0000 || high >> 16 == 0x0064_ff9b_0001 { return false }
        return !isLinkLocal && !embeddedV4.contains(where: Self.isSpecialV4)
    }

    /// The kind of an address that is not public, for messages.
    var kind: String {
        if isLinkLocal { return "link-local or metadata" }
        if isLoopback { return "loopback" }
        return isPublic ? "public" : "private or otherwise not public"
    }

    private static func isLinkLocalV4(_ address: UInt32) -> Bool {
        // 100.100.100.200 of Alibaba and 168.63.129.16 of Azure.
        address >> 16 == 0xa9fe || address == 0x6464_64c8 || address == 0xa83f_8110
    }

    /// The ranges of IPv4 that are not for single machines of the public network (RFC 6890): the first address, and the
    /// length of the prefix.
    private static let specialV4: [(UInt32, Int)] = [
        (0x0000_0000, 8),  // 0.0.0.0, this network
        (0x0a00_0000, 8),  // 10.0.0.0, private
        (0x6440_0000, 10),  // 100.64.0.0, shared by a provider's customers
        (0x7f00_0000, 8),  // 127.0.0.0, loopback
        (0xa9fe_0000, 16),  // 169.254.0.0, link-local
        (0xac10_0000, 12),  // 172.16.0.0, private
        (0xc000_0000, 24),  // 192.0.0.0, for protocols
        (0xc0a8_0000, 16),  // 192.168.0.0, private
        (0xc612_0000, 15),  // 198.18.0.0, benchmarks
        (0xe000_0000, 3),  // 224.0.0.0, multicast, reserved and broadcast
    ]

    private static func isSpecialV4(_ address: UInt32) -> Bool {
        isLinkLocalV4(address) || specialV4.contains { (address ^ $0.0) >> UInt32(32 - $0.1) == 0 }
    }

    /// The IPv4 addresses to which a translator or a tunnel may forward this address.
    ///
    /// Of NAT64, that concerns the well-known prefix 64:ff9b::/96, and 64:ff9b:1::/48 of RFC 8215. Only the operator knows
    /// how long a prefix he uses in the latter, so the address is read after each length of RFC 6052 section 2.2.
    private var embeddedV4: [UInt32] {
        let whole: UInt64
        if high == 0x0064_ff9b_0000_0000, low >> 32 == 0 {
            whole = low
        } else if high == 0, low >> 32 == 0xffff_0000 {
            // ::ffff:0:0:0/96 of RFC 2765.
            whole = low
        } else if high >> 48 == 0x2002 {
            // 6to4, RFC 3056.
            whole = high >> 16
        } else if high >> 32 == 0x2001_0000 {
            // Teredo, RFC 4380 section 4: the bits of the client's address are inverted.
            whole = ~low
        } else if high >> 16 == 0x0064_ff9b_0001 {
            return [
                (high & 0xffff) << 16 | (low >> 40) & 0xffff, (high & 0xff) << 24 | (low >> 32) & 0xff_ffff,
                low >> 24, low,
            ].map { UInt32(truncatingIfNeeded: $0) }
        } else {
            return []
        }
        return [UInt32(truncatingIfNeeded: whole)]
    }
}
