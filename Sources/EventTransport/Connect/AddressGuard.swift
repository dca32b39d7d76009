/// Decides which addresses a connection may have, after each look-up of its name.
package struct AddressGuard: Hashable, Sendable {
    /// The addresses that are refused, unless a range permits them.
    package enum Refused: Hashable, Sendable {
        case nothing
        /// Link-local addresses, and others at which clouds serve credentials.
        case metadata
        /// These, and all others that are not public.
        case nonPublic
    }

    /// For a destination whose address the operator chose.
    package static let open = AddressGuard(.nothing)

    package let refused: Refused
    /// The ranges that the operator has opened.
    private let allowed: [AddressRange]

    package init(_ refused: Refused, allowing allowed: [AddressRange] = []) {
        self.refused = refused
        self.allowed = allowed
    }

    package func permits(_ address: IPAddress) -> Bool {
        let isHarmless =
            switch refused {
            case .nothing: true
            case .metadata: !address.isLinkLocal
            case .nonPublic: address.isPublic
            }
        return isHarmless || allowed.contains { $0.contains(address) }
    }
}

/// The addresses with a common prefix: `10.0.0.0/8`, `fd00::/8`, or one address.
package struct AddressRange: Hashable, Sendable {
    private let start: IPAddress
    private let prefixLength: Int

    /// The prefix has at most 32 or 128 bits; bits behind it do not matter.
    package init(_ start: IPAddress, prefixLength: Int) {
        precondition(0...(start.isIPv6 ? 128 : 32) ~= prefixLength, "a prefix is longer than its address")
        self.start = start
        self.prefixLength = prefixLength
    }

    func contains(_ address: IPAddress) -> Bool {
        guard address.isIPv6 == start.isIPv6 else { return false }
        guard start.isIPv6 else { return (address.low ^ start.low) >> UInt64(32 - prefixLength) == 0 }
        let (high, low) = (address.high ^ start.high, address.low ^ start.low)
        // A shift by 64 gives 0.
        return high >> UInt64(64 - min(prefixLength, 64)) == 0 && low >> UInt64(64 - max(prefixLength - 64, 0)) == 0
    }
}
