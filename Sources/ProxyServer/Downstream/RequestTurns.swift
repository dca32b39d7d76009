/// How many requests one connection begins in one turn of the loop.
///
/// Requests that are refused take no time but the loop's. Without a bound, an app that sends hundreds of them at once makes
/// every other app wait for all of them.
struct RequestTurns {
    /// Few, as hundreds of connections may have as many each; only requests that end at once are ever more than one.
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

    /// Lets as many begin again in the same turn.
    mutating func renew() { begun = 0 }
}
