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
