import Testing

@testable import ProxyServer

@Suite("The requests of one connection in one turn of the loop")
struct UnitRequestTurnsTests {
    @Test("are limited, and begin anew with each turn")
    func bound() {
        var turns = RequestTurns()
        for turn in 1...3 as ClosedRange<UInt64> {
            let taken = (0..<RequestTurns.requestsPerTurn + 2).map { _ in turns.takes(in: turn) }
            #expect(taken == Array(repeating: true, count: RequestTurns.requestsPerTurn) + [false, false])
        }
        turns.renew()
        let isTaken = turns.takes(in: 3)
        #expect(isTaken)
    }
}
