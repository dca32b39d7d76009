import HTTPWire

/// The addresses that begin with the same bits, as in `10.0.0.0/8`.
package struct Network: Equatable, Sendable {
    /// 4 or 16 bytes.
    private let bytes: [UInt8]
    private let bitCount: Int

    /// Reads `10.0.0.0/8` or `2001:db8::/32`; nil if it is no such text.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = Self.bytes(of: String(parts[0])),
            parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let bitCount = Int(parts[1]), bitCount <= bytes.count * 8
        else { return nil }
        (self.bytes, self.bitCount) = (bytes, bitCount)
    }

    private init(_ bytes: [UInt8], _ bitCount: Int) { (self.bytes, self.bitCount) = (bytes, bitCount) }

    /// Loopback and link-local addresses.
    static let local = [
        Network([127, 0, 0, 0], 8), Network([169, 254, 0, 0], 16),
        Network(Array(repeating: 0, count: 15) + [1], 128), Network([0xfe, 0x80] + Array(repeating: 0, count: 14), 10),
    ]

    /// Whether a host is an address of the network; it resolves no name.
    package func contains(_ host: String) -> Bool {
        guard let address = Self.bytes(of: host), address.count == bytes.count else { return false }
        return (0..<bitCount).allSatisfy { bit in
            (address[bit / 8] ^ bytes[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
        }
    }

    private static func bytes(of text: String) -> [UInt8]? {
        switch try? Host(text) {
        case .v4(let address): return address.split(separator: ".").compactMap { UInt8($0) }
        case .v6(let address):
            // In the form of RFC 5952, and never IPv4-mapped: at most one "::", and no IPv4 address at the end.
            let gap = address.firstRange(of: "::")
            var groups = Self.groups(address[..<(gap?.lowerBound ?? address.endIndex)])
            let tail = gap.map { Self.groups(address[$0.upperBound...]) } ?? []
            while groups.count + tail.count < 8 { groups.append(0) }
            groups += tail
            var bytes: [UInt8] = []
            for group in groups { bytes += [UInt8(group >> 8), UInt8(group & 0xff)] }
            return bytes
        case .name, nil: return nil
        }
    }

    private static func groups(_ text: Substring) -> [UInt16] {
        text.split(separator: ":").compactMap { UInt16($0, radix: 16) }
    }
}
