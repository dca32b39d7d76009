/// An authority that was found valid: if the next target has the same bytes, it need not be parsed again.
///
/// Confined to one thread.
struct KnownAuthority: ~Copyable {
    /// The bytes of the authority.
    private let words = Slots<UInt64>(repeating: 0, count: wordLimit)
    private let slots = Slots(repeating: 0, count: 3)

    private static let wordLimit = 16

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

    /// The known authority, if the bytes from `lower` on begin with it and it ends there.
    func match(_ bytes: Span<UInt8>, from lower: Int, to upper: Int) -> Authority? {
        let count = byteCount
        guard count > 0, upper &- lower >= count else { return nil }
        let end = lower &+ count
        guard end == upper || Authority.isPathStart(bytes[end]) else { return nil }
        guard words.holds(bytes, from: lower, count: count, at: 0) else { return nil }
        let known = UInt16(truncatingIfNeeded: port)
        return Authority(
            host: ByteRange(lower, lower &+ hostByteCount), port: known == 0 ? nil : known, end: end)
    }

    /// Whether the range holds exactly the known authority.
    func isKnown(_ bytes: Span<UInt8>, _ range: ByteRange) -> Bool {
        let count = byteCount
        return count > 0 && count == range.count
            && words.holds(bytes, from: range.lowerBound, count: count, at: 0)
    }

    /// Keeps an authority that begins at `lower`, unless it is too short or too long to be worth it.
    func note(_ authority: Authority, in bytes: Span<UInt8>, from lower: Int) {
        let count = authority.end - lower
        guard 8...(8 * Self.wordLimit) ~= count else { return }
        words.keep(bytes, from: lower, count: count, at: 0)
        byteCount = count
        hostByteCount = authority.host.count
        port = Int(authority.port ?? 0)
    }
}
