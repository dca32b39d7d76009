/// Decides whether bytes are a host that means the same to every resolver (RFC 3986 section 3.2.2).
///
/// Deliberately narrower than the grammar. Names with percent-encoding or sub-delims are refused, because no name in
/// the DNS has them and parsers may disagree on them. So are empty and long labels, IPv6 zones, and names that end in
/// a number without being an IPv4 address: some resolvers read "127.1" or "0x7f.1" as one.
package enum HostSyntax {
    /// RFC 1035 section 2.3.4; one more dot may follow.
    private static let longestName = 253
    /// RFC 1035 section 2.3.4.
    private static let longestLabel = 63

    /// The offset of the first byte that is not part of the name; nil if no host precedes it.
    static func endOfNameOrIPv4(_ bytes: Span<UInt8>, _ lower: Int, _ upper: Int) -> Int? {
        guard let (end, lastLabel) = endOfName(bytes, lower, upper) else { return nil }
        return !isNumber(bytes, lastLabel) || isIPv4(bytes, lower, end) ? end : nil
    }

    /// The same offset with the last label, which may be a number.
    static func endOfName(_ bytes: Span<UInt8>, _ lower: Int, _ upper: Int) -> (end: Int, lastLabel: ByteRange)? {
        var lastLabel = lower
        var labelStart = lower
        var index = lower
        while index < upper, isNameByte(bytes[index]) {
            if bytes[index] == UInt8(ascii: ".") {
                guard 1...longestLabel ~= index - labelStart else { return nil }
                lastLabel = labelStart
                labelStart = index + 1
            }
            index += 1
        }
        // A final dot is followed by the root's empty label, so the last label is the one before it.
        let isRooted = labelStart == index
        let nameEnd = isRooted ? index - 1 : index
        guard 1...longestName ~= nameEnd - lower else { return nil }
        if !isRooted {
            guard index - labelStart <= longestLabel else { return nil }
            lastLabel = labelStart
        }
        return (index, ByteRange(lastLabel, nameEnd))
    }

    /// Four numbers up to 255 without leading zeros.
    package static func isIPv4(_ bytes: Span<UInt8>, _ lower: Int, _ upper: Int) -> Bool {
        var index = lower
        for part in 0..<4 {
            if part > 0 {
                guard index < upper, bytes[index] == UInt8(ascii: ".") else { return false }
                index += 1
            }
            let start = index
            var number = 0
            while index < upper, index - start < 3, ASCII.isDigit(bytes[index]) {
                number = number * 10 + Int(bytes[index] & 0x0F)
                index += 1
            }
            guard index > start, number <= 255, index == start + 1 || bytes[start] != UInt8(ascii: "0") else {
                return false
            }
        }
        return index == upper
    }

    /// Eight groups, or fewer around one "::"; the last two may be written as an IPv4 address.
    static func isIPv6(_ bytes: Span<UInt8>, _ lower: Int, _ upper: Int) -> Bool {
        let colon = UInt8(ascii: ":")
        var index = lower
        var groups = 0
        var isCompressed = false
        if upper - lower >= 2, bytes[lower] == colon, bytes[lower + 1] == colon {
            isCompressed = true
            index += 2
            if index == upper { return true }
        }
        while true {
            let start = index
            while index < upper, ASCII.hexadecimalValue(bytes[index]) != nil { index += 1 }
            if index < upper, bytes[index] == UInt8(ascii: ".") {
                guard isIPv4(bytes, start, upper) else { return false }
                groups += 2
                break
            }
            guard 1...4 ~= index - start, groups < 8 else { return false }
            groups += 1
            guard index < upper else { break }
            guard bytes[index] == colon else { return false }
            index += 1
            guard index < upper else { return false }
            if bytes[index] == colon {
                guard !isCompressed else { return false }
                isCompressed = true
                index += 1
                guard index < upper else { break }
            }
        }
        return isCompressed ? groups <= 7 : groups == 8
    }

    // One bit for each byte, 0x00...0x3F and 0x40...0x7F: letters, digits and "-._~".
    private static let nameLow: UInt64 = 0x03FF_6000_0000_0000
    private static let nameHigh: UInt64 = 0x47FF_FFFE_87FF_FFFE

    @inline(__always)
    private static func isNameByte(_ byte: UInt8) -> Bool {
        let half = byte & 0x40 == 0 ? nameLow : nameHigh
        return byte < 0x80 && (half &>> UInt64(byte & 0x3F)) & 1 == 1
    }

    /// Whether some programs read a label as a number.
    static func isNumber(_ bytes: Span<UInt8>, _ label: ByteRange) -> Bool {
        let (lower, upper) = (label.lowerBound, label.upperBound)
        guard lower < upper, ASCII.isDigit(bytes[lower]) else { return false }
        var index = lower
        let isHexadecimal =
            upper - lower >= 2 && bytes[lower] == UInt8(ascii: "0") && bytes[lower + 1] | 0x20 == UInt8(ascii: "x")
        if isHexadecimal { index += 2 }
        while index < upper {
            let isPart = isHexadecimal ? ASCII.hexadecimalValue(bytes[index]) != nil : ASCII.isDigit(bytes[index])
            guard isPart else { return false }
            index += 1
        }
        return true
    }
}

/// Port numbers of one to five decimal digits, so that `+80` and `0x50` are refused.
///
/// Leading zeros are allowed, as in RFC 3986 section 3.2.3.
package enum PortSyntax {
    /// The number at `lower` and the offset after its digits; nil without a number from 0 to 65535.
    static func number(_ bytes: Span<UInt8>, _ lower: Int, _ upper: Int) -> (number: UInt16, end: Int)? {
        var number: UInt32 = 0
        var index = lower
        while index < upper, index - lower <= 5, ASCII.isDigit(bytes[index]) {
            number = number * 10 + UInt32(bytes[index] & 0x0F)
            index += 1
        }
        guard 1...5 ~= index - lower, let port = UInt16(exactly: number) else { return nil }
        return (port, index)
    }

    /// The number in a text that holds nothing else; 0 only if `zeroAllowed`, where the system may choose the port.
    package static func number(_ text: some StringProtocol, zeroAllowed: Bool = false) -> UInt16? {
        let bytes = Array(text.utf8)
        guard let (port, end) = number(bytes.span, 0, bytes.count), end == bytes.count else { return nil }
        return port > 0 || zeroAllowed ? port : nil
    }
}
