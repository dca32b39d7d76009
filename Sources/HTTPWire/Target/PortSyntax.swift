/// Port numbers: one to five decimal digits, so that neither `+80` nor `0x50` is one.
///
/// Zeros may lead, as RFC 3986 section 3.2.3 allows.
package enum PortSyntax {
    /// The number at `lower` and the offset after its digits; nil where none from 0 to 65535 stands there.
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

    /// The number that is all of a text; port 0 is one only for who may let the system choose.
    package static func number(_ text: some StringProtocol, zeroAllowed: Bool = false) -> UInt16? {
        let bytes = Array(text.utf8)
        guard let (port, end) = number(bytes.span, 0, bytes.count), end == bytes.count else { return nil }
        return port > 0 || zeroAllowed ? port : nil
    }
}
