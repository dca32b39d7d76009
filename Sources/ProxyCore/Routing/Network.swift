import HTTPWire

/// The addresses that begin with the same bits, as in `10.0.0.0/8`, or one address.
package struct Network: Equatable, Sendable, CustomStringConvertible {
    /// Why a text is no network.
    package enum Problem: Error, Equatable {
        case noAddress
        /// The address, and the number of its bits.
        case prefixLength(String, most: Int)
    }

    /// Any of its addresses, without brackets.
    package let address: String
    package let prefixLength: Int
    /// The bytes of the address: 4 or 16.
    private let bytes: [UInt8]

    /// Reads `10.0.0.0/8`, `2001:db8::/32` or an address.
    ///
    /// - Throws: Why it is no such text.
    package init(_ text: String) throws(Problem) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard !parts[0].hasPrefix("["), let host = try? Host(parts[0]), let bytes = Self.bytes(of: host.text) else {
            throw .noAddress
        }
        let most = bytes.count * 8
        var length: Int? = most
        if parts.count == 2 {
            let isNumber = parts[1].utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            length = isNumber ? Int(parts[1]) : nil
        }
        guard let length, length <= most else { throw .prefixLength(host.text, most: most) }
        (address, prefixLength, self.bytes) = (host.text, length, bytes)
    }

    private init(_ address: String, _ prefixLength: Int, _ bytes: [UInt8]) {
        (self.address, self.prefixLength, self.bytes) = (address, prefixLength, bytes)
    }

    /// As it is written in a configuration; a single address has no prefix length.
    package var description: String {
        prefixLength == bytes.count * 8 ? address : "\(address)/\(prefixLength)"
    }

    /// Loopback and link-local addresses.
    static let local = [
        Network("127.0.0.0", 8, [127, 0, 0, 0]), Network("169.254.0.0", 16, [169, 254, 0, 0]),
        Network("::1", 128, Array(repeating: 0, count: 15) + [1]),
        Network("fe80::", 10, [0xfe, 0x80] + Array(repeating: 0, count: 14)),
    ]

    /// Whether a host is an address of the network; it resolves no name.
    package func contains(_ host: String) -> Bool {
        guard let address = Self.bytes(of: host), address.count == bytes.count else { return false }
        return (0..<prefixLength).allSatisfy { bit in
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
