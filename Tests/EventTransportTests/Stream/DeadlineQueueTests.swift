import Testing

@testable import EventTransport

@Suite("The queue of deadlines")
struct DeadlineQueueTests {
    @Test("wakes connections in the order of their deadlines, however these were set, moved and dropped")
    func order() throws {
        let loop = try EventLoop()
        defer { loop.finish() }
        let start = loop.now
        var told: [Int] = []
        let pairs = (0..<101).map { _ in StreamPair.local(loop) }
        for (index, pair) in pairs.enumerated() {
            pair.connection.record().whenDeadlinePassed = { told.append(index) }
            // 37 is prime to 101, so that every millisecond of the hour is taken once, out of order.
            pair.connection.deadline = start + .seconds(3600) + .milliseconds(index * 37 % 101)
        }
        for index in stride(from: 0, to: 101, by: 5) { pairs[index].connection.close() }
        // The others move to an earlier time, in an order of its own.
        for (index, pair) in pairs.enumerated() where index % 5 != 0 {
            pair.connection.deadline = start + .microseconds(index * 53 % 101)
        }
        loop.runUntil { told.count == 80 }
        #expect(told == (0..<101).filter { $0 % 5 != 0 }.sorted { $0 * 53 % 101 < $1 * 53 % 101 })
        for pair in pairs { pair.connection.close() }
    }

    @Test("goes on with the others when a connection that was woken closes them or asks again")
    func reentrant() throws {
        let loop = try EventLoop()
        defer { loop.finish() }
        var told: [Int] = []
        let pairs = (0..<3).map { _ in StreamPair.local(loop) }
        let start = loop.now
        for (index, pair) in pairs.enumerated() {
            let connection = pair.connection
            connection.record().whenDeadlinePassed = {
                told.append(index)
                if index == 0 { pairs[1].connection.abort() }
                if index == 2, told.count == 2 { connection.deadline = start }
            }
            connection.deadline = start + .microseconds(index)
        }
        loop.runUntil { told.count == 3 }
        #expect(told == [0, 2, 2])
        for pair in pairs { pair.connection.close() }
    }
}
