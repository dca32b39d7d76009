/// The part of the received bytes in which a head may lie.
///
/// Reading past its end means "wait for more", unless the limit is what ends it.
struct HeadWindow {
    let end: Int
    private let isLimit: Bool

    init(_ bytes: Span<UInt8>, _ limits: HeadLimits) {
        end = min(bytes.count, limits.headBytes)
        isLimit = bytes.count >= limits.headBytes
    }

    /// The head goes on past the end: throws if it may not, else the caller answers nil.
    func requireMore(orThrow error: MessageError) throws(MessageError) {
        if isLimit { throw error }
    }
}
