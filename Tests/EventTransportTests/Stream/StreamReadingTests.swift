import Testing

@testable import EventTransport

@Suite("A reading stream")
final class StreamReadingTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit { loop.finish() }

    @Test("delivers the received bytes, then the end")
    func endOfStream() {
        let pair = StreamPair.local(loop)
        let recorder = pair.connection.record()
        pair.peer.send("one")
        loop.runUntil { recorder.text == "one" }
        pair.peer.send("two")
        pair.peer.endWriting()
        loop.runUntil { recorder.hasEnded }
        #expect(recorder.calls == [.received(3), .received(3), .ended])
        pair.connection.close()
    }

    @Test("delivers nothing before its start")
    func start() {
        let pair = StreamPair.local(loop)
        let recorder = StreamRecorder()
        pair.connection.delegate = recorder
        pair.peer.send("early")
        passTurns()
        #expect(recorder.calls.isEmpty)
        pair.connection.start()
        loop.runUntil { recorder.text == "early" }
        pair.connection.close()
    }

    @Test("can still write after the peer's end")
    func halfClose() {
        let pair = StreamPair.local(loop)
        let recorder = pair.connection.record()
        pair.peer.endWriting()
        loop.runUntil { recorder.hasEnded }
        #expect(pair.connection.write("answer") == .written)
        #expect(pair.peer.receive() == Array("answer".utf8))
        pair.connection.close()
        #expect(pair.peer.end() == 0)
    }

    @Test("reports a reset after the bytes before it, and frees the connection")
    func reset() throws {
        let pair = try StreamPair.tcp(loop)
        let recorder = pair.connection.record()
        pair.peer.send("last words")
        pair.peer.reset()
        loop.runUntil { recorder.hasFailed }
        #expect(recorder.calls == [.received(10), .failed(.reset)])
        #expect(try #require(recorder.error).message.contains("127.0.0.1:"))
        #expect(pair.connection.isClosed)
        #expect(pair.connection.delegate == nil)
    }

    @Test("delivers nothing while paused, and continues afterwards")
    func pause() {
        let pair = StreamPair.local(loop)
        let recorder = pair.connection.record()
        pair.connection.pauseReading()
        pair.connection.pauseReading()
        pair.peer.send("held back")
        pair.peer.endWriting()
        passTurns()
        #expect(recorder.calls.isEmpty)
        pair.connection.resumeReading()
        pair.connection.resumeReading()
        #expect(recorder.calls.isEmpty)
        loop.runUntil { recorder.hasEnded }
        #expect(recorder.calls == [.received(9), .ended])
        pair.connection.close()
    }

    @Test("can be paused before it starts")
    func pauseFirst() {
        let pair = StreamPair.local(loop)
        pair.connection.pauseReading()
        let recorder = pair.connection.record()
        pair.peer.send("x")
        passTurns()
        #expect(recorder.calls.isEmpty)
        pair.connection.resumeReading()
        loop.runUntil { recorder.text == "x" }
        pair.connection.close()
    }

    @Test("can be paused inside the call that delivers bytes")
    func pauseInside() {
        let pair = StreamPair.local(loop)
        let recorder = pair.connection.record()
        recorder.whenReceived = { _ in pair.connection.pauseReading() }
        pair.peer.send("a")
        loop.runUntil { recorder.text == "a" }
        pair.peer.send("b")
        pair.peer.endWriting()
        passTurns()
        #expect(recorder.calls == [.received(1)])
        pair.connection.resumeReading()
        loop.runUntil { recorder.calls.count == 2 }
        pair.connection.resumeReading()
        loop.runUntil { recorder.hasEnded }
        pair.connection.close()
    }

    @Test("never delivers more than the loop's buffer at once")
    func bulk() {
        let pair = StreamPair.local(loop)
        let recorder = pair.connection.record()
        let sent = (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        pair.peer.send(sent)
        loop.runUntil { recorder.bytes.count == sent.count }
        #expect(recorder.bytes == sent)
        for case .received(let count) in recorder.calls { #expect(count <= EventLoop.readCapacity) }
        pair.connection.close()
    }

    @Test("reads more at once from a peer that sends in bulk, until its bytes have to wait")
    func readSize() {
        let pair = StreamPair.local(loop)
        let recorder = pair.connection.record()
        let first = StreamConnection.firstReadSize
        pair.peer.send([UInt8](repeating: 1, count: 2 * first))
        loop.runUntil { recorder.bytes.count == 2 * first }
        pair.peer.send([UInt8](repeating: 2, count: 2 * first))
        loop.runUntil { recorder.bytes.count == 4 * first }
        #expect(recorder.calls == [.received(first), .received(first), .received(2 * first)])
        pair.connection.pauseReading()
        pair.connection.resumeReading()
        pair.peer.send([UInt8](repeating: 3, count: 2 * first))
        loop.runUntil { recorder.bytes.count == 6 * first }
        #expect(recorder.calls.dropFirst(3) == [.received(first), .received(first)])
        pair.connection.close()
    }

    /// A few turns in which something could happen that must not.
    private func passTurns() {
        var turns = 0
        func again() {
            turns += 1
            if turns < 5 { timer?.schedule(after: .zero) }
        }
        var timer: Timer?
        timer = Timer(loop: loop, again)
        timer?.schedule(after: .zero)
        loop.runUntil { turns == 5 }
        timer = nil
    }
}
