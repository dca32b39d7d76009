/// An IPv6 address in the one spelling of RFC 5952, so that equal addresses have equal bytes.
///
/// Groups are in lower case without leading zeros, and the first longest run of two or more zero groups is `::`. An
/// IPv4 address at the end is written as two groups. An IPv4-mapped address (`::ffff:10.0.0.1`) is written as the IPv4
/// address that it stands for, so that no rule about a host can be evaded by this spelling.
package struct IPv6Text {
    // Room for eight groups of four digits with colons in between, in brackets.
    private var text = [41 of UInt8](repeating: 0)
    private var count = 0
    /// Whether the text is an IPv4 address, which has no brackets.
    private let isMapped: Bool

    /// The address in `bytes`, without brackets; nil if they are not exactly one address.
    package init?(_ bytes: Span<UInt8>) {
        guard HostSyntax.isIPv6(bytes, 0, bytes.count) else { return nil }
        self.init(bytes, ByteRange(0, bytes.count))
    }

    /// The address in `range`, without brackets; the parser of the head has checked it.
    package init(_ bytes: Span<UInt8>, _ range: ByteRange) {
        let groups = Self.groups(bytes, range)
        isMapped = Self.isMapped(groups)
        guard !isMapped else {
            for shift in [24, 16, 8, 0] as [UInt32] {
                if shift < 24 { append(UInt8(ascii: ".")) }
                append(decimal: UInt8(truncatingIfNeeded: (UInt32(groups[6]) << 16 | UInt32(groups[7])) >> shift))
            }
            return
        }
        let gap = Self.gap(groups)
        append(UInt8(ascii: "["))
        var index = 0
        while index < 8 {
            if index == gap.lowerBound, !gap.isEmpty {
                append(UInt8(ascii: ":"))
                append(UInt8(ascii: ":"))
                index = gap.upperBound
                continue
            }
            if index > 0, index != gap.upperBound || gap.isEmpty { append(UInt8(ascii: ":")) }
            append(hexadecimal: groups[index])
            index += 1
        }
        append(UInt8(ascii: "]"))
    }

    /// Lends the address without brackets, as in routes and origins.
    package func withBare<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        body(isMapped ? text.span.extracting(..<count) : text.span.extracting(1..<(count - 1)))
    }

    /// Lends the address as in a URI: in brackets, unless it is an IPv4 address.
    package func withBracketed<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        body(text.span.extracting(..<count))
    }

    private mutating func append(_ byte: UInt8) {
        text[count] = byte
        count += 1
    }

    private mutating func append(decimal number: UInt8) {
        if number >= 100 { append(UInt8(ascii: "0") + number / 100) }
        if number >= 10 { append(UInt8(ascii: "0") + number / 10 % 10) }
        append(UInt8(ascii: "0") + number % 10)
    }

    private mutating func append(hexadecimal group: UInt16) {
        var shift = group == 0 ? 0 : (15 - group.leadingZeroBitCount) & ~3
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: group &>> UInt16(shift)) & 0x0F
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            shift -= 4
        }
    }

    /// The groups of the text, including those that `::` stands for.
    private static func groups(_ bytes: Span<UInt8>, _ range: ByteRange) -> [8 of UInt16] {
        var head = [8 of UInt16](repeating: 0)
        var count = 0
        // The number of groups before "::".
        var beforeGap: Int?
        var index = range.lowerBound
        while index < range.upperBound {
            if bytes[index] == UInt8(ascii: ":") {
                if index + 1 < range.upperBound, bytes[index + 1] == UInt8(ascii: ":") {
                    beforeGap = count
                    index += 1
                }
                index += 1
                continue
            }
            var end = index
            var value: UInt16 = 0
            while end < range.upperBound, let digit = ASCII.hexadecimalValue(bytes[end]) {
                value = value << 4 | UInt16(digit)
                end += 1
            }
            if end < range.upperBound, bytes[end] == UInt8(ascii: ".") {
                (head[count], head[count + 1]) = ipv4(bytes, index, range.upperBound)
                count += 2
                break
            }
            head[count] = value
            count += 1
            index = end
        }
        guard let beforeGap else { return head }
        var groups = [8 of UInt16](repeating: 0)
        for place in 0..<beforeGap { groups[place] = head[place] }
        for place in beforeGap..<count { groups[8 - count + place] = head[place] }
        return groups
    }

    private static func ipv4(_ bytes: Span<UInt8>, _ lower: Int, _ upper: Int) -> (UInt16, UInt16) {
        var address: UInt32 = 0
        var part: UInt32 = 0
        for index in lower..<upper {
            if bytes[index] == UInt8(ascii: ".") {
                address = address << 8 | part
                part = 0
            } else {
                part = part * 10 + UInt32(bytes[index] & 0x0F)
            }
        }
        address = address << 8 | part
        return (UInt16(truncatingIfNeeded: address >> 16), UInt16(truncatingIfNeeded: address))
    }

    /// Whether the address stands for an IPv4 address (RFC 4291 section 2.5.5.2).
    private static func isMapped(_ groups: [8 of UInt16]) -> Bool {
        for index in 0..<5 where groups[index] != 0 { return false }
        return groups[5] == 0xFFFF
    }

    /// The run of zero groups to write as `::`; empty if no run has two.
    private static func gap(_ groups: [8 of UInt16]) -> Range<Int> {
        var longest = 0..<0
        var index = 0
        while index < 8 {
            var end = index
            while end < 8, groups[end] == 0 { end += 1 }
            if end - index > max(longest.count, 1) { longest = index..<end }
            index = max(end, index + 1)
        }
        return longest
    }
}
