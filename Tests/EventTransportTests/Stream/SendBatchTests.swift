import Testing

@testable import EventTransport

@Suite("Sends at the end of a turn")
final class SendBatchTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit { loop.finish() }

    /// Runs one turn whose only callback is `body`.
    private func turn(_ body: @escaping () -> Void) {
        loop.adopt()
        var hasRun = false
        loop.later {
            body()
            hasRun = true
        }
        loop.runUntil { hasRun }
    }

    @Test("Several writes of a turn are sent after its last callback, in order")
    func gathers() {
        let (one, other) = (StreamPair.local(loop), StreamPair.local(loop))
        _ = one.connection.record()
        _ = other.connection.record()
        turn {
            #expect(one.connection.write("a") == .written)
            #expect(other.connection.write("x") == .written)
            #expect(one.connection.write("b") == .written)
            #expect(one.connection.unacknowledgedByteCount == 2)
            #expect(one.connection.queuedByteCount == 0)
            #expect((one.peer.receive() ?? []).isEmpty)
            #expect((other.peer.receive() ?? []).isEmpty)
        }
        #expect(one.peer.receive() == Array("ab".utf8))
        #expect(other.peer.receive() == Array("x".utf8))
        one.connection.close()
        other.connection.close()
    }

    @Test("close() first sends what the turn has written")
    func closes() {
        let pair = StreamPair.local(loop)
        _ = pair.connection.record()
        turn {
            pair.connection.write("last words")
            pair.connection.close()
        }
        #expect(pair.peer.receive() == Array("last words".utf8))
    }

    @Test("abort() drops what the turn has written")
    func aborts() throws {
        let pair = try StreamPair.tcp(loop)
        _ = pair.connection.record()
        turn {
            pair.connection.write("unsaid")
            pair.connection.abort()
        }
        #expect((pair.peer.receive() ?? []).isEmpty)
    }

    @Test("A connection that is released without a start leaves nothing behind")
    func released() {
        turn { [loop] in
            let pair = StreamPair.local(loop)
            pair.connection.write("x")
        }
        #expect(loop.sends.isEmpty)
    }

    @Test("A large piece is sent at once, after the earlier writes of the turn")
    func large() {
        let pair = StreamPair.local(loop)
        _ = pair.connection.record()
        let piece = [UInt8](repeating: 7, count: SendBatch.largestSend + 1)
        turn {
            pair.connection.write("head")
            #expect(pair.connection.write(Array(" and ".utf8).span, piece.span) == .written)
            #expect(pair.peer.receive() == Array("head and ".utf8) + piece)
        }
        pair.connection.close()
    }

    @Test("A turn that writes more than the batch holds sends it in parts, in order")
    func overflows() {
        let pairs = (0..<20).map { _ in StreamPair.local(loop) }
        for pair in pairs { _ = pair.connection.record() }
        let piece = [UInt8](repeating: 1, count: 4000)
        turn {
            for round in 0..<5 {
                for pair in pairs { pair.connection.write(piece + [UInt8(round)]) }
            }
        }
        for pair in pairs {
            #expect(pair.peer.receive() == (0..<5).flatMap { piece + [UInt8($0)] })
            pair.connection.close()
        }
    }

    @Test("A full socket is reported in the next turn, and no byte is lost or overtaken")
    func blocks() {
        let pair = StreamPair.local(loop)
        let recorder = pair.connection.record()
        let piece = (0..<15_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var expected: [UInt8] = []
        while pair.connection.queuedByteCount == 0 {
            turn { pair.connection.write(piece) }
            expected += piece
        }
        #expect(recorder.calls.isEmpty)
        turn { #expect(pair.connection.write("more") == .blocked) }
        expected += Array("more".utf8)
        #expect(recorder.calls == [.blocked])
        var received: [UInt8] = []
        let drain = Timer(loop: loop) {}
        loop.runUntil {
            received += pair.peer.receive() ?? []
            if received.count < expected.count { drain.schedule(after: .zero) }
            return recorder.calls == [.blocked, .drained]
        }
        received += pair.peer.receive() ?? []
        #expect(received == expected)
        pair.connection.close()
    }

    @Test("The read side reports a peer that is gone when the batch is sent")
    func fails() throws {
        let pair = try StreamPair.tcp(loop)
        let recorder = pair.connection.record()
        turn {
            pair.connection.write("x")
            pair.peer.reset()
        }
        loop.runUntil { recorder.hasFailed }
        #expect(recorder.calls == [.failed(.reset)])
    }
}
