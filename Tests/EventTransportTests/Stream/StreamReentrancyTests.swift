import Testing

@testable import EventTransport

@Suite("A stream's delegate")
final class StreamReentrancyTests {
    enum Ending: CaseIterable {
        case close
        case closeAfterResponse
        case abort

        func end(_ connection: StreamConnection) {
            switch self {
            case .close: connection.close()
            case .closeAfterResponse: connection.closeAfterResponse()
            case .abort: connection.abort()
            }
        }
    }

    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    deinit { loop.finish() }

    @Test("may end the connection inside the call that delivers bytes", arguments: Ending.allCases)
    func received(ending: Ending) throws {
        let pair = try StreamPair.tcp(loop)
        let recorder = pair.connection.record()
        recorder.whenReceived = { _ in
            pair.connection.write("bye")
            ending.end(pair.connection)
        }
        pair.peer.send("x")
        loop.runUntil { !recorder.calls.isEmpty }
        pair.peer.send("y")
        pair.peer.close()
        loop.runUntil { loop.lingering.isEmpty }
        #expect(recorder.calls == [.received(1)])
    }

    @Test("may end the connection inside the call that reports the end", arguments: Ending.allCases)
    func ended(ending: Ending) throws {
        let pair = try StreamPair.tcp(loop)
        let recorder = pair.connection.record()
        recorder.whenEnded = { ending.end(pair.connection) }
        pair.peer.endWriting()
        loop.runUntil { recorder.hasEnded && loop.lingering.isEmpty }
        #expect(recorder.calls == [.ended])
    }

    @Test("may end the connection inside the call that reports an empty queue", arguments: Ending.allCases)
    func drained(ending: Ending) {
        let pair = StreamPair.local(loop)
        let recorder = pair.connection.record()
        recorder.whenDrained = { ending.end(pair.connection) }
        #expect(pair.connection.write([UInt8](repeating: 0, count: 1_000_000)) == .blocked)
        let again = Timer(loop: loop) {}
        loop.runUntil {
            again.schedule(after: .zero)
            _ = pair.peer.receive()
            return !recorder.calls.isEmpty
        }
        pair.peer.close()
        loop.runUntil { loop.lingering.isEmpty }
        #expect(recorder.calls == [.drained])
    }

    @Test("may end the connection inside the call that reports the deadline", arguments: Ending.allCases)
    func deadline(ending: Ending) throws {
        let pair = try StreamPair.tcp(loop)
        let recorder = pair.connection.record()
        recorder.whenDeadlinePassed = { ending.end(pair.connection) }
        pair.connection.deadline = loop.now
        loop.runUntil { !recorder.calls.isEmpty }
        pair.peer.close()
        loop.runUntil { loop.lingering.isEmpty }
        #expect(recorder.calls == [.deadlinePassed])
    }

    @Test("may call every function of a connection that has failed", arguments: Ending.allCases)
    func failed(ending: Ending) throws {
        let pair = try StreamPair.tcp(loop)
        let recorder = pair.connection.record()
        recorder.whenFailed = {
            let connection = pair.connection
            #expect(connection.write("x") == .written)
            connection.pauseReading()
            connection.resumeReading()
            connection.deadline = .now
            ending.end(connection)
        }
        pair.peer.reset()
        loop.runUntil { recorder.hasFailed }
        #expect(recorder.calls == [.failed(.reset)])
    }

    @Test("may relay bytes to another connection and end that one")
    func relay() {
        let (from, to) = (StreamPair.local(loop), StreamPair.local(loop))
        let (recorder, other) = (from.connection.record(), to.connection.record())
        let sent = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        var relayed = 0
        recorder.whenReceived = { [unowned recorder] count in
            relayed += count
            to.connection.write(Array(recorder.bytes.suffix(count)))
            if relayed == sent.count { to.connection.close() }
        }
        from.peer.send(sent)
        var received: [UInt8] = []
        let again = Timer(loop: loop) {}
        loop.runUntil {
            again.schedule(after: .zero)
            guard let bytes = to.peer.receive() else { return true }
            received += bytes
            return false
        }
        #expect(received == sent)
        #expect(other.calls.isEmpty || other.calls == [.drained])
        from.connection.close()
    }

    @Test("of two connections that are ready in one turn may close the other")
    func closeNeighbour() {
        let (one, two) = (StreamPair.local(loop), StreamPair.local(loop))
        let (first, second) = (one.connection.record(), two.connection.record())
        first.whenReceived = { _ in two.connection.close() }
        second.whenReceived = { _ in one.connection.close() }
        one.peer.send("1")
        two.peer.send("2")
        loop.runUntil { !first.calls.isEmpty || !second.calls.isEmpty }
        var isOver = false
        let end = Timer(loop: loop) { isOver = true }
        end.schedule(after: .milliseconds(1))
        loop.runUntil { isOver }
        #expect(first.calls.count + second.calls.count == 1)
        one.connection.close()
        two.connection.close()
    }
}
