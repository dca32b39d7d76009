/// Which of several name servers is asked first.
///
/// The first of the file, as resolv.conf(5) has it; but one that did not answer in time is not asked first for a while,
/// so that not every look-up waits for it.
struct ServerOrder {
    /// How long another server goes first.
    private static let preference = Duration.seconds(30)

    /// The index of the server to ask first.
    private(set) var first = 0
    private var until: MonotonicInstant?

    /// The servers, the one to ask first in front.
    mutating func next(_ servers: [SocketAddress], rotates: Bool, now: MonotonicInstant) -> [SocketAddress] {
        if rotates {
            first += 1
        } else if let until, until <= now {
            self = ServerOrder()
        }
        first %= servers.count
        return Array(servers[first...] + servers[..<first])
    }

    /// A question was answered after so many tries, each of another server, without an answer.
    ///
    /// - Parameters:
    ///   - count: The number of tries.
    ///   - start: The value of `first` when the question was asked; several questions run at once.
    ///   - now: The time of the answer.
    mutating func answered(afterTimeouts count: Int, from start: Int, now: MonotonicInstant) {
        guard count > 0 else { return }
        first = start + count
        until = now + Self.preference
    }
}
