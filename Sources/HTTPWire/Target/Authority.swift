/// A host with an optional port, as in a target or a Host field (RFC 3986 section 3.2).
///
/// User information and an empty port are refused: no client needs to send them, and they can be read in two ways.
package struct Authority {
    /// The host, with its brackets if it is an IPv6 address.
    package let host: ByteRange
    package let port: UInt16?
    /// The offset of its end: the upper bound, or that of the "/" or "?" that begins a path.
    package let end: Int

    init(host: ByteRange, port: UInt16?, end: Int) {
        self.host = host
        self.port = port
        self.end = end
    }

    package init(_ bytes: Span<UInt8>, from lower: Int, to upper: Int) throws(MessageError) {
        do throws(MessageError) {
            let hostEnd = try Self.endOfHost(bytes, lower, upper)
            host = ByteRange(lower, hostEnd)
            if hostEnd < upper, bytes[hostEnd] == UInt8(ascii: ":") {
                (port, end) = try Self.port(bytes, hostEnd + 1, upper)
            } else {
                (port, end) = (nil, hostEnd)
            }
            guard end == upper || Self.isPathStart(bytes[end]) else {
                throw port == nil ? .malformedHost : .malformedPort
            }
        } catch {
            throw Self.hasUserInformation(bytes, lower, upper) ? .userInformation : error
        }
    }

    private static func endOfHost(_ bytes: Span<UInt8>, _ lower: Int, _ upper: Int) throws(MessageError) -> Int {
        guard lower < upper, bytes[lower] != UInt8(ascii: ":"), !isPathStart(bytes[lower]) else { throw .emptyHost }
        guard bytes[lower] == UInt8(ascii: "[") else {
            guard let end = HostSyntax.endOfNameOrIPv4(bytes, lower, upper) else { throw .malformedHost }
            return end
        }
        var close = lower
        while close < upper, bytes[close] != UInt8(ascii: "]") { close += 1 }
        guard close < upper, HostSyntax.isIPv6(bytes, lower + 1, close) else { throw .malformedHost }
        return close + 1
    }

    /// The port, which is not 0, and the offset after it.
    private static func port(
        _ bytes: Span<UInt8>, _ lower: Int, _ upper: Int
    ) throws(MessageError) -> (UInt16, Int) {
        guard let (port, end) = PortSyntax.number(bytes, lower, upper), port != 0 else { throw .malformedPort }
        return (port, end)
    }

    /// Whether user information is the error; checked only after an error.
    private static func hasUserInformation(_ bytes: Span<UInt8>, _ lower: Int, _ upper: Int) -> Bool {
        for index in lower..<upper {
            if bytes[index] == UInt8(ascii: "@") { return true }
            if isPathStart(bytes[index]) { return false }
        }
        return false
    }

    @inline(__always)
    static func isPathStart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?")
    }
}
