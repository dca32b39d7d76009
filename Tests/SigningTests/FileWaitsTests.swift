import Locking
import Signing
import Support
import Testing

@Suite struct FileWaitsTests {
    @Test func `A file whose read takes long is reported once, and one that is read at once is not`() throws {
        let waits = FileWaits(timeout: .milliseconds(20))
        let told = Locked<[String]>([])
        let isTold = Latch(1, "the file is told")
        #expect(waits.reading("/early") { 1 } == 1)
        waits.watch { path in
            told.withLock { $0.append(path) }
            isTold.countDown()
        }
        waits.watch { _ in told.withLock { $0.append("a second watch") } }
        try waits.reading("/late") { try isTold.wait() }
        waits.end()
        #expect(told.withLock { $0 } == ["/late"])
    }

    @Test func `A watch may begin again after its end`() throws {
        let waits = FileWaits(timeout: .zero)
        waits.watch { _ in }
        waits.end()
        let isTold = Latch(1, "the file is told")
        waits.watch { _ in isTold.countDown() }
        try waits.reading("/late") { try isTold.wait() }
        waits.end()
    }
}
