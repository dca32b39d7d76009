import Testing

@testable import EventTransport

@Suite("A stream's deadline")
final class StreamDeadlineTests {
    private let loop: EventLoop
    private let pair: StreamPair
    private let recorder: StreamRecorder

    init() throws {
        loop = try EventLoop()
        pair = StreamPair.local(loop)
        recorder = pair.connection.record()
    }

    deinit { loop.finish() }

    @Test("is reported once and is unset by then")
    func once() {
        let connection = pair.connection
        let due = loop.now + .milliseconds(3)
        connection.deadline = due
        #expect(connection.deadline == due)
        var unset = false
        recorder.whenDeadlinePassed = { unset = connection.deadline == nil }
        loop.runUntil { !recorder.calls.isEmpty }
        #expect(unset)
        #expect(MonotonicInstant.now >= due)
        pass(.milliseconds(10))
        #expect(recorder.calls == [.deadlinePassed])
        connection.close()
    }

    @Test("costs nothing to move later or to remove")
    func lazy() {
        let connection = pair.connection
        let start = loop.now
        connection.deadline = start + .milliseconds(5)
        #expect(connection.armed == start + .milliseconds(5))
        connection.deadline = start + .seconds(3600)
        #expect(connection.armed == start + .milliseconds(5))
        loop.runUntil { connection.armed == start + .seconds(3600) }
        #expect(recorder.calls.isEmpty)
        connection.deadline = start + .milliseconds(5)
        connection.deadline = nil
        #expect(connection.armed == start + .milliseconds(5))
        #expect(connection.deadline == nil)
        loop.runUntil { connection.armed == .distantFuture }
        #expect(recorder.calls.isEmpty)
        connection.close()
    }

    @Test("can be moved to an earlier time")
    func earlier() {
        let connection = pair.connection
        connection.deadline = loop.now + .seconds(3600)
        connection.deadline = loop.now + .milliseconds(2)
        loop.runUntil { recorder.calls == [.deadlinePassed] }
        connection.deadline = loop.now + .milliseconds(2)
        loop.runUntil { recorder.calls == [.deadlinePassed, .deadlinePassed] }
        connection.close()
    }

    @Test("is not reported once the connection is closed")
    func closed() {
        let connection = pair.connection
        connection.deadline = loop.now + .milliseconds(1)
        connection.close()
        pass(.milliseconds(10))
        #expect(recorder.calls.isEmpty)
    }

    private func pass(_ duration: Duration) {
        var isOver = false
        let end = Timer(loop: loop) { isOver = true }
        end.schedule(after: duration)
        loop.runUntil { isOver }
    }
}
