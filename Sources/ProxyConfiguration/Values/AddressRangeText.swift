import HTTPWire

/// Ranges of addresses: `10.0.0.0/8`, `fd00::/8`, or one address.
enum AddressRangeText {
    /// Nil if an item has a problem.
    static func list(_ setting: Setting, _ problems: ProblemList) -> [String]? {
        guard let items = setting.items(problems) else { return nil }
        let ranges = items.compactMap { $0.parsed(problems, what: "a range of addresses", parse) }
        return ranges.count == items.count ? ranges : nil
    }

    static func parse(_ text: String) throws(ValueError) -> String {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = try? Host(parts[0]), host.isAddress, !parts[0].hasPrefix("[") else {
            throw ValueError("is not a range of addresses; write it as in 10.0.0.0/8, fd00::/8 or 10.1.2.3")
        }
        guard parts.count == 2 else { return host.text }
        let longest = if case .v4 = host { 32 } else { 128 }
        let digits = parts[1].utf8
        guard let length = Int(parts[1]), digits.allSatisfy({ (0x30...0x39).contains($0) }), digits.count <= 3,
            length <= longest
        else {
            throw ValueError("has a prefix length outside 0 to \(longest); write it as in \(host.text)/\(longest)")
        }
        return "\(host.text)/\(length)"
    }
}
