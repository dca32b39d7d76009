import Glibc
import Testing

@testable import EventTransport

@Suite("A writing stream")
final class StreamWritingTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit { loop.finish() }

    @Test("sends one piece or two at once")
    func atOnce() {
        let pair = StreamPair.local(loop)
        _ = pair.connection.record()
        #expect(pair.connection.write("head") == .written)
        let (first, second): ([UInt8], [UInt8]) = (Array(" and".utf8), Array(" body".utf8))
        #expect(pair.connection.write(first.span, second.span) == .written)
        #expect(pair.connection.write([UInt8]().span, second.span) == .written)
        #expect(pair.connection.write(first.span, [UInt8]().span) == .written)
        #expect(pair.connection.write([]) == .written)
        #expect(pair.connection.queuedByteCount == 0)
        #expect(pair.peer.receive() == Array("head and body body and".utf8))
        pair.connection.close()
    }

    @Test("queues what the socket does not take, in order, and reports when it was sent", arguments: [1, 2, 3])
    func backpressure(pieces: Int) {
        let pair = StreamPair.local(loop)
        let recorder = pair.connection.record()
        let piece = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var expected: [UInt8] = []
        var results: [WriteResult] = []
        for _ in 0..<pieces {
            results.append(pair.connection.write(piece.span, piece.span))
            expected += piece + piece
        }
        #expect(results == Array(repeating: .blocked, count: pieces))
        #expect(pair.connection.queuedByteCount > 0)
        #expect(recorder.calls.isEmpty)
        var received: [UInt8] = []
        let drain = Timer(loop: loop) {}
        loop.runUntil {
            received += pair.peer.receive() ?? []
            if received.count < expected.count { drain.schedule(after: .zero) }
            return recorder.calls == [.drained]
        }
        received += pair.peer.receive() ?? []
        #expect(received == expected)
        #expect(pair.connection.queuedByteCount == 0)
        #expect(pair.connection.write("more") == .written)
        pair.connection.close()
    }

    @Test("delivers an early response although the peer has reset the connection meanwhile")
    func earlyResponse() throws {
        let pair = try StreamPair.tcp(loop)
        let recorder = pair.connection.record()
        // Unread bytes make close() a reset, with the response before it.
        #expect(pair.connection.write("unread") == .written)
        pair.peer.send("413 too large")
        loop.later {}
        pair.peer.close()
        var wasDropped = false
        while !wasDropped {
            #expect(pair.connection.write("body") == .written)
            wasDropped = pair.connection.machine.writing == .drop
        }
        #expect(recorder.calls.isEmpty)
        loop.runUntil { recorder.hasFailed || recorder.hasEnded }
        #expect(recorder.text == "413 too large")
        #expect(recorder.calls.count == 2)
    }

    @Test("reports a failed write although reading is over")
    func failureAfterEnd() throws {
        let pair = try StreamPair.tcp(loop)
        let recorder = pair.connection.record()
        pair.peer.endWriting()
        loop.runUntil { recorder.hasEnded }
        pair.peer.reset()
        while pair.connection.machine.writing == .send { pair.connection.write("x") }
        #expect(recorder.calls == [.ended])
        loop.runUntil { recorder.hasFailed }
        #expect(recorder.calls == [.ended, .failed(.reset)])
    }

    @Test("reports an empty queue to a paused reader when the peer breaks the connection")
    func failureWhilePaused() throws {
        let pair = try StreamPair.tcp(loop, peerReceiveBufferSize: 4096)
        let recorder = pair.connection.record()
        pair.connection.pauseReading()
        let piece = [UInt8](repeating: 1, count: 8 << 20)
        #expect(pair.connection.write(piece) == .blocked)
        pair.peer.reset()
        loop.runUntil { !recorder.calls.isEmpty }
        #expect(recorder.calls == [.drained])
        #expect(pair.connection.queuedByteCount == 0)
        pair.connection.resumeReading()
        loop.runUntil { recorder.hasFailed }
        #expect(recorder.calls == [.drained, .failed(.reset)])
    }

    @Test("holds no buffer and no write event when nothing is queued")
    func idleCost() {
        let pair = StreamPair.local(loop)
        _ = pair.connection.record()
        pair.connection.write("x")
        let hasWriteEvent = pair.connection.writeEvent != nil
        #expect(!hasWriteEvent)
        pair.connection.close()
    }
}
