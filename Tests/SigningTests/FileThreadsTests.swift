import Locking
import Signing
import Support
import Testing

@Suite struct FileThreadsTests {
    @Test func `Calls run in their order, and return their results`() async {
        let threads = FileThreads(timeout: .seconds(60))
        let order = Locked<[Int]>([])
        for number in 0..<100 { threads.submit { order.withLock { $0.append(number) } } }
        #expect(await threads.run { "end" } == "end")
        #expect(order.withLock { $0 } == Array(0..<100))
    }

    @Test func `Calls that hang delay the next ones only briefly`() throws {
        let threads = FileThreads(timeout: .milliseconds(5))
        let gates = (0..<3).map { Gate("call \($0) may end") }
        let (hung, next) = (Latch(gates.count, "the calls that hung end"), Latch(1, "the next call runs"))
        let failed = Locked(false)
        for gate in gates {
            threads.submit {
                if (try? gate.wait()) == nil { failed.withLock { $0 = true } }
                hung.countDown()
            }
        }
        threads.submit { next.countDown() }
        try next.wait()
        for gate in gates { gate.open() }
        try hung.wait()
        #expect(!failed.withLock { $0 })
        let last = Latch(1, "a call runs afterwards")
        threads.submit { last.countDown() }
        try last.wait()
    }
}
