/// The part of the received bytes that may hold a head.
///
/// Reading past its end means "wait for more", unless the size limit set that end.
struct HeadWindow {
    let end: Int
    private let isLimit: Bool

    init(_ bytes: Span<UInt8>, _ limits: HeadLimits) {
        end = min(bytes.count, limits.headBytes)
        isLimit = bytes.count >= limits.headBytes
    }

    /// The head continues past the end: throws if it must not, else the caller returns nil.
    func requireMore(orThrow error: MessageError) throws(MessageError) {
        if isLimit { throw error }
    }
}
