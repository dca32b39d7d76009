/// How many requests one connection begins in one turn of the loop.
///
/// Requests that are refused take no time but the loop's. Without a bound, an app that sends hundreds of them at once makes
/// every other app wait for all of them.
struct RequestTurns {
    /// As many as a turn of the loop may hold of one connection: 16 refusals take about 0.2 ms.
    static let requestsPerTurn = 16

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
