import Glibc
import Support
import Testing

@testable import EventTransport

@Suite("Signals")
struct SignalTests {
    @Test("call a closure on the loop, each time, and have their default action back afterwards")
    func source() async {
        await #expect(processExitsWith: .signal(SIGTERM)) { try ExitTestBody.run(SignalTests.countSignals) }
    }

    private static func countSignals() throws {
        let loop = try EventLoop()
        var count = 0
        do {
            let source = try SignalSource(SIGTERM, loop: loop) { count += 1 }
            kill(getpid(), SIGTERM)
            loop.runUntil { count == 1 }
            kill(getpid(), SIGTERM)
            loop.runUntil { count == 2 }
            withExtendedLifetime(source) {}
        }
        kill(getpid(), SIGTERM)
        // Another thread may be the one that it hits.
        alarm(30)
        while true { pause() }
    }

    @Test("wake a loop that waits on another thread")
    func wakes() async {
        await #expect(processExitsWith: .success) { try ExitTestBody.run(SignalTests.wakeWaitingLoop) }
    }

    private static func wakeWaitingLoop() throws {
        let loop = try EventLoop()
        let source = try SignalSource(SIGINT, loop: loop) { loop.stop() }
        let sender = BackgroundThread("sender") { kill(getpid(), SIGINT) }
        loop.run()
        try sender.join()
        withExtendedLifetime(source) {}
    }

    @Test("about broken pipes end the process unless they are ignored")
    func brokenPipe() async {
        await #expect(processExitsWith: .success) { try ExitTestBody.run(SignalTests.ignoreBrokenPipe) }
    }

    private static func ignoreBrokenPipe() throws {
        Signals.ignoreFailedWrites()
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        #expect(write(ends[1], "x", 1) == -1)
        #expect(errno == EPIPE)
    }

    @Test("about broken pipes are not raised by a stream")
    func brokenStream() async {
        await #expect(processExitsWith: .success) { try ExitTestBody.run(SignalTests.writeToBrokenStream) }
    }

    private static func writeToBrokenStream() throws {
        signal(SIGPIPE, SIG_DFL)
        let loop = try EventLoop()
        let pair = StreamPair.local(loop)
        let recorder = pair.connection.record()
        pair.connection.pauseReading()
        pair.peer.close()
        pair.connection.write("x")
        pair.connection.write([1].span, [2].span)
        pair.connection.resumeReading()
        loop.runUntil { recorder.hasEnded || recorder.hasFailed }
        pair.connection.close()
    }
}
