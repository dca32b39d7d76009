/// Decides which of several name servers is asked first.
///
/// Normally the first of the file, as in resolv.conf(5). A server that timed out is not asked first for a while, so
/// that not every look-up waits for it.
struct ServerOrder {
    /// For how long another server is asked first.
    private static let preference = Duration.seconds(30)

    /// The index of the server to ask first.
    private(set) var first = 0
    private var until: MonotonicInstant?

    /// The servers in the order in which to ask them.
    mutating func next(_ servers: [SocketAddress], rotates: Bool, now: MonotonicInstant) -> [SocketAddress] {
        if rotates {
            first += 1
        } else if let until, until <= now {
            self = ServerOrder()
        }
        first %= servers.count
        return Array(servers[first...] + servers[..<first])
    }

    /// A question was answered after `count` tries, each of another server, that timed out.
    ///
    /// - Parameters:
    ///   - count: The number of tries that timed out.
    ///   - start: The value of `first` when the question was sent; several questions run at once.
    ///   - now: The time of the answer.
    mutating func answered(afterTimeouts count: Int, from start: Int, now: MonotonicInstant) {
        guard count > 0 else { return }
        first = start + count
        until = now + Self.preference
    }
}
