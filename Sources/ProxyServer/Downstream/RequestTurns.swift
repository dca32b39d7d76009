/// Limits the number of requests that one connection begins in one turn of the loop.
///
/// Without a limit, an app that sends hundreds of requests at once would make all other apps wait.
struct RequestTurns {
    /// The limit, which is small because hundreds of connections may reach it in one turn.
    static let requestsPerTurn = 4

    // Small, because every connection has them; that the turns begin again at 0 after 2³² of them costs one turn.
    private var turn: UInt32 = 0
    private var begun: UInt8 = 0

    /// Whether another request may begin in this turn; counts it if so.
    mutating func takes(in turn: UInt64) -> Bool {
        let turn = UInt32(truncatingIfNeeded: turn)
        if turn != self.turn {
            self.turn = turn
            begun = 0
        }
        guard begun < Self.requestsPerTurn else { return false }
        begun += 1
        return true
    }

    /// Allows the full number again in the same turn.
    mutating func renew() { begun = 0 }
}
