import Testing

@testable import EventTransport

@Suite("A stream whose delegate ends its side")
final class StreamEndingTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit { loop.finish() }

    @Test("goes on reading")
    func goesOn() {
        let pair = StreamPair.local(loop)
        let recorder = pair.connection.record()
        #expect(pair.connection.write("last") == .written)
        pair.connection.endWriting()
        #expect(pair.peer.receive() == Array("last".utf8))
        #expect(pair.peer.receive() == nil)
        pair.peer.send("answer")
        loop.runUntil { recorder.text == "answer" }
        pair.peer.close()
        loop.runUntil { recorder.hasEnded }
        pair.connection.close()
        #expect(loop.lingering.isEmpty)
    }

    @Test("sends what it has queued before its end, and tells nobody that the queue is empty")
    func queued() {
        let pair = StreamPair.local(loop)
        let recorder = pair.connection.record()
        let piece = [UInt8](repeating: 3, count: 2_000_000)
        #expect(pair.connection.write(piece) == .blocked)
        pair.connection.endWriting()
        #expect(pair.connection.write("dropped") == .written)
        #expect(readToEnd(pair.peer) == piece.count)
        #expect(recorder.calls.isEmpty)
        pair.peer.send("x")
        loop.runUntil { recorder.text == "x" }
        pair.connection.close()
    }

    @Test("sends what it has queued if it is closed before")
    func closed() {
        let pair = StreamPair.local(loop)
        _ = pair.connection.record()
        let piece = [UInt8](repeating: 3, count: 2_000_000)
        #expect(pair.connection.write(piece) == .blocked)
        pair.connection.endWriting()
        pair.connection.close()
        #expect(loop.lingering.count == 1)
        #expect(readToEnd(pair.peer) == piece.count)
        pair.peer.close()
        loop.runUntil { loop.lingering.isEmpty }
    }

    /// Runs the loop until the peer has read everything and the end, and returns the number of bytes.
    private func readToEnd(_ peer: RawPeer) -> Int {
        var count = 0
        loop.runUntil {
            while let bytes = peer.receive() {
                count += bytes.count
                if bytes.isEmpty { return false }
            }
            return true
        }
        return count
    }
}
