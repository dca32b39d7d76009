/// The addresses that a race has not tried yet, and which of them comes next (RFC 8305 section 4).
///
/// They keep their order, but IPv6 and IPv4 alternate, and addresses to avoid come last.
struct UntriedAddresses {
    private var known: Set<SocketAddress> = []
    private var untried: [SocketAddress] = []
    /// The kind of the last address that was taken.
    private var lastWasIPv6: Bool?

    var isEmpty: Bool { untried.isEmpty }

    /// Adds those that are new, behind the others.
    mutating func add(_ addresses: [SocketAddress]) {
        for address in addresses where known.insert(address).inserted { untried.append(address) }
    }

    mutating func takeNext(avoiding isAvoided: (SocketAddress) -> Bool) -> SocketAddress? {
        let good = untried.indices.filter { !isAvoided(untried[$0]) }
        let candidates = good.isEmpty ? Array(untried.indices) : good
        let other = candidates.first { untried[$0].ip.isIPv6 != lastWasIPv6 }
        guard let index = other ?? candidates.first else { return nil }
        let address = untried.remove(at: index)
        lastWasIPv6 = address.ip.isIPv6
        return address
    }
}
