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

/// An authority that was found valid: if the next target has the same bytes, it need not be parsed again.
///
/// Confined to one thread.
struct KnownAuthority: ~Copyable {
    /// The bytes of the authority.
    private let bytes = Slots<UInt8>(repeating: 0, count: capacity)
    private let slots = Slots(repeating: 0, count: 5)

    private static let capacity = 128

    private var byteCount: Int {
        get { slots[0] }
        nonmutating set { slots[0] = newValue }
    }
    private var hostByteCount: Int {
        get { slots[1] }
        nonmutating set { slots[1] = newValue }
    }
    /// The port; 0 if there is none.
    private var port: Int {
        get { slots[2] }
        nonmutating set { slots[2] = newValue }
    }

    /// How many authorities have been kept, this one included.
    private var number: Int {
        get { slots[3] }
        nonmutating set { slots[3] = newValue }
    }
    /// The number of the authority that the newest target has; 0 if that is not known.
    private(set) var newest: Int {
        get { slots[4] }
        nonmutating set { slots[4] = newValue }
    }

    /// A target is read next.
    func targetBegan() { newest = 0 }

    /// The known authority, if the bytes from `lower` on begin with it and it ends there.
    func match(_ bytes: Span<UInt8>, from lower: Int, to upper: Int) -> Authority? {
        let count = byteCount
        guard count > 0, upper &- lower >= count else { return nil }
        let end = lower &+ count
        guard end == upper || Authority.isPathStart(bytes[end]) else { return nil }
        guard self.bytes.holds(bytes, from: lower, count: count, at: 0) else { return nil }
        newest = number
        let known = UInt16(truncatingIfNeeded: port)
        return Authority(
            host: ByteRange(lower, lower &+ hostByteCount), port: known == 0 ? nil : known, end: end)
    }

    /// Whether the range holds exactly the known authority.
    func isKnown(_ bytes: Span<UInt8>, _ range: ByteRange) -> Bool {
        let count = byteCount
        return count > 0 && count == range.count
            && self.bytes.holds(bytes, from: range.lowerBound, count: count, at: 0)
    }

    /// Keeps an authority that begins at `lower`, unless it is too short or too long to be worth it.
    func note(_ authority: Authority, in bytes: Span<UInt8>, from lower: Int) {
        let count = authority.end - lower
        guard 8...Self.capacity ~= count else { return }
        self.bytes.keep(bytes, from: lower, count: count, at: 0)
        byteCount = count
        hostByteCount = authority.host.count
        port = Int(authority.port ?? 0)
        number &+= 1
        newest = number
    }
}
