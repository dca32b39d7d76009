/// Limits the number of requests that one connection begins in one turn of the loop.
///
/// Without a limit, an app that sends hundreds of requests at once would make all other apps wait.
struct RequestTurns {
    /// The limit, which is small because hundreds of connections may reach it in one turn.
    static let requestsPerTurn = 4

    private var turn: UInt64 = 0
    private var begun = 0

    /// Whether another request may begin in this turn; counts it if so.
    mutating func takes(in turn: UInt64) -> Bool {
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
