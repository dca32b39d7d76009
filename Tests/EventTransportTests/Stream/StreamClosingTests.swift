import Glibc
import Testing

@testable import EventTransport

@Suite("A closing stream")
final class StreamClosingTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit { loop.finish() }

    @Test("closes at once when nothing is queued")
    func close() {
        let pair = StreamPair.local(loop)
        let recorder = pair.connection.record()
        pair.connection.close()
        pair.connection.close()
        pair.connection.abort()
        #expect(pair.peer.end() == 0)
        #expect(recorder.calls.isEmpty)
        #expect(loop.lingering.isEmpty)
    }

    @Test("sends queued bytes in the background, without calls of its delegate")
    func linger() {
        let pair = StreamPair.local(loop)
        let recorder = pair.connection.record()
        let piece = [UInt8](repeating: 3, count: 2_000_000)
        #expect(pair.connection.write(piece) == .blocked)
        pair.connection.close()
        #expect(pair.connection.delegate == nil)
        #expect(loop.lingering.count == 1)
        #expect(readToEnd(pair.peer) == piece.count)
        pair.peer.close()
        loop.runUntil { loop.lingering.isEmpty }
        #expect(recorder.calls.isEmpty)
    }

    @Test("reports when no closed connection lingers any more")
    func quiet() {
        let pair = StreamPair.local(loop)
        _ = pair.connection.record()
        var isQuiet = false
        loop.whenNothingLingers { isQuiet = true }
        #expect(isQuiet)
        let piece = [UInt8](repeating: 3, count: 2_000_000)
        #expect(pair.connection.write(piece) == .blocked)
        pair.connection.close()
        isQuiet = false
        loop.whenNothingLingers { isQuiet = true }
        #expect(readToEnd(pair.peer) == piece.count)
        #expect(!isQuiet)
        pair.peer.close()
        loop.runUntil { isQuiet }
        #expect(loop.lingering.isEmpty)
    }

    @Test("continues to send to a peer that takes a little now and then, and ends when it has everything")
    func lingerSlowReader() throws {
        let peer = try lingering(1 << 20)
        var received = 0
        // A turn of the loop is one look at most, and the peer gets something between any two of them.
        while received < 1 << 20, let piece = peer.receiveNext() {
            received += piece.count
            loop.runTurn()
        }
        #expect(received == 1 << 20)
        loop.runUntil { loop.lingering.isEmpty }
    }

    @Test("stops waiting for a peer that takes nothing")
    func lingerStalled() throws {
        let peer = try lingering(8 << 20)
        loop.runUntil { loop.lingering.isEmpty }
        withExtendedLifetime(peer) {}
    }

    @Test("ends as soon as everything is sent if the peer has ended before")
    func lingerHalfClosed() throws {
        let peer = try lingering(1 << 20, look: .seconds(3600))
        peer.endWriting()
        #expect(readToEnd(peer) == 1 << 20)
        loop.runUntil { loop.lingering.isEmpty }
    }

    /// A closed connection with so much to send, which looks for progress at this interval; returns its peer.
    private func lingering(_ count: Int, look: Duration = .milliseconds(1)) throws -> RawPeer {
        let pair = try StreamPair.tcp(loop, peerReceiveBufferSize: 4096)
        var queue = WriteQueue()
        queue.append([UInt8](repeating: 3, count: count).span, on: loop)
        pair.connection.dismantle()
        LingeringClose(pair.connection.wire, queue, on: loop, look: look).begin()
        return pair.peer
    }

    @Test("ends lingering when the peer breaks the connection")
    func lingerBroken() throws {
        let pair = try StreamPair.tcp(loop, peerReceiveBufferSize: 4096)
        _ = pair.connection.record()
        #expect(pair.connection.write([UInt8](repeating: 3, count: 8 << 20)) == .blocked)
        pair.connection.close()
        pair.peer.reset()
        loop.runUntil { loop.lingering.isEmpty }
    }

    @Test("lets the peer read the response although it is still sending")
    func closeAfterResponse() throws {
        let pair = try StreamPair.tcp(loop)
        let recorder = pair.connection.record()
        let body = [UInt8](repeating: 9, count: 100_000)
        pair.peer.send(body)
        pair.connection.write("HTTP/1.1 413 …")
        pair.connection.closeAfterResponse()
        #expect(pair.connection.isClosed)
        loop.runUntil { loop.lingering.values.contains { $0.droppedByteCount > 0 } }
        pair.peer.send(body)
        #expect(readToEnd(pair.peer) == "HTTP/1.1 413 …".utf8.count)
        #expect(pair.peer.receiveError() == 0)
        pair.peer.close()
        loop.runUntil { loop.lingering.isEmpty }
        #expect(recorder.calls.isEmpty)
    }

    @Test("does not read for ever from a peer that continues to send")
    func closeAfterResponseBounded() throws {
        let pair = try StreamPair.tcp(loop)
        _ = pair.connection.record()
        pair.connection.closeAfterResponse()
        let piece = [UInt8](repeating: 1, count: 100_000)
        _ = fcntl(pair.peer.descriptor, F_SETFL, O_NONBLOCK)
        let again = Timer(loop: loop) {}
        loop.runUntil {
            pair.peer.send(piece)
            again.schedule(after: .zero)
            return loop.lingering.isEmpty
        }
    }

    @Test("sends its whole response to a peer that sends more than is read from it")
    func closeAfterResponseUnheard() throws {
        let pair = try StreamPair.tcp(loop)
        _ = pair.connection.record()
        let answer = [UInt8](repeating: 3, count: 32 << 20)
        #expect(pair.connection.write(answer) == .blocked)
        pair.connection.closeAfterResponse()
        _ = fcntl(pair.peer.descriptor, F_SETFL, O_NONBLOCK)
        let piece = [UInt8](repeating: 1, count: 100_000)
        let again = Timer(loop: loop) {}
        loop.runUntil {
            pair.peer.send(piece)
            again.schedule(after: .zero)
            return loop.lingering.values.allSatisfy { $0.droppedByteCount > 1 << 20 }
        }
        #expect(readToEnd(pair.peer) == answer.count)
        pair.peer.close()
        loop.runUntil { loop.lingering.isEmpty }
    }

    @Test("waits for a silent peer for a limited time only")
    func closeAfterResponseSilent() throws {
        let pair = try StreamPair.tcp(loop)
        _ = pair.connection.record()
        let start = loop.now
        pair.connection.closeAfterResponse()
        loop.runUntil {
            loop.advance(by: .milliseconds(100))
            return loop.lingering.isEmpty
        }
        #expect(loop.now >= start + .seconds(2))
    }

    @Test("closes at once after a response if the peer has ended already")
    func closeAfterEnd() throws {
        let pair = try StreamPair.tcp(loop)
        let recorder = pair.connection.record()
        pair.peer.endWriting()
        loop.runUntil { recorder.hasEnded }
        pair.connection.write("answer")
        pair.connection.closeAfterResponse()
        loop.runUntil { loop.lingering.isEmpty }
        #expect(pair.peer.receive() == Array("answer".utf8))
        #expect(pair.peer.end() == 0)
    }

    @Test("aborts with a reset")
    func abort() throws {
        let pair = try StreamPair.tcp(loop)
        let recorder = pair.connection.record()
        pair.connection.abort()
        #expect(pair.peer.end() == ECONNRESET)
        #expect(recorder.calls.isEmpty)
    }

    @Test("is freed by closing, and kept by the loop until then")
    func lifetime() {
        weak var weakConnection: StreamConnection?
        let peer: RawPeer
        do {
            let pair = StreamPair.local(loop)
            weakConnection = pair.connection
            peer = pair.peer
            _ = pair.connection.record()
        }
        #expect(weakConnection != nil)
        weakConnection?.close()
        #expect(weakConnection == nil)
        #expect(peer.end() == 0)
    }

    @Test("closes its descriptor when it is released without a start")
    func unstarted() {
        let peer: RawPeer
        do {
            let pair = StreamPair.local(loop)
            pair.connection.deadline = loop.now + .seconds(10)
            peer = pair.peer
        }
        #expect(peer.end() == 0)
    }

    @Test("drops lingering connections when the loop stops")
    func stop() {
        let pair = StreamPair.local(loop)
        _ = pair.connection.record()
        #expect(pair.connection.write([UInt8](repeating: 3, count: 2_000_000)) == .blocked)
        pair.connection.close()
        loop.stop()
        loop.run()
        #expect(loop.lingering.isEmpty)
    }

    /// Reads as the loop writes, to the end; returns how much came.
    private func readToEnd(_ peer: RawPeer) -> Int {
        var count = 0
        let again = Timer(loop: loop) {}
        loop.runUntil {
            again.schedule(after: .zero)
            guard let bytes = peer.receive() else { return true }
            count += bytes.count
            return false
        }
        return count
    }
}
