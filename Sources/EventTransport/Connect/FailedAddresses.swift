/// The addresses at which a connection failed lately; a race tries them last.
///
/// Confined to the loop's thread. An address is forgotten after 30 s, or when a connection to it succeeds.
final class FailedAddresses {
    /// Long enough that not every new connection tries a broken address first, and short enough that a server which was
    /// restarted soon gets connections again.
    static let span = Duration.seconds(30)
    /// More addresses than the routes of a sidecar have; apps may choose any number of others.
    static let limit = 256

    private var ends: [SocketAddress: MonotonicInstant] = [:]

    func contains(_ address: SocketAddress, _ now: MonotonicInstant) -> Bool {
        guard let end = ends[address] else { return false }
        return end > now
    }

    func insert(_ address: SocketAddress, _ now: MonotonicInstant) {
        if ends.count >= Self.limit, ends[address] == nil {
            ends = ends.filter { $0.value > now }
            if ends.count >= Self.limit, let oldest = ends.min(by: { $0.value < $1.value }) { ends[oldest.key] = nil }
        }
        ends[address] = now + Self.span
    }

    func remove(_ address: SocketAddress) { if !ends.isEmpty { ends[address] = nil } }
}
