/// A host with an optional port, as in a target or a Host field (RFC 3986 section 3.2).
///
/// User information is refused, and so is an empty port: what nobody needs to send is not worth two readings.
struct Authority {
    /// With the brackets, if it is an IPv6 address.
    let host: ByteRange
    let port: UInt16?

    init(_ bytes: Span<UInt8>, _ range: ByteRange) throws(MessageError) {
        for index in range.lowerBound..<range.upperBound where bytes[index] == UInt8(ascii: "@") {
            throw .userInformation
        }
        let isLiteral = !range.isEmpty && bytes[range.lowerBound] == UInt8(ascii: "[")
        let end = isLiteral ? UInt8(ascii: "]") : UInt8(ascii: ":")
        var index = range.lowerBound
        while index < range.upperBound, bytes[index] != end { index += 1 }
        if isLiteral {
            guard index < range.upperBound, HostSyntax.isIPv6(bytes, range.lowerBound + 1, index) else {
                throw .malformedHost
            }
            index += 1
        } else {
            guard index > range.lowerBound else { throw .emptyHost }
            guard HostSyntax.isNameOrIPv4(bytes, range.lowerBound, index) else { throw .malformedHost }
        }
        host = ByteRange(range.lowerBound, index)
        guard index < range.upperBound else {
            port = nil
            return
        }
        guard bytes[index] == UInt8(ascii: ":") else { throw .malformedHost }
        port = try Self.port(bytes, index + 1, range.upperBound)
    }

    private static func port(_ bytes: Span<UInt8>, _ lower: Int, _ upper: Int) throws(MessageError) -> UInt16 {
        guard 1...5 ~= upper - lower else { throw .malformedPort }
        var number: UInt32 = 0
        for index in lower..<upper {
            guard ASCII.isDigit(bytes[index]) else { throw .malformedPort }
            number = number * 10 + UInt32(bytes[index] & 0x0F)
        }
        guard let port = UInt16(exactly: number), port != 0 else { throw .malformedPort }
        return port
    }
}
