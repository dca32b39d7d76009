import Support
import Testing

@testable import EventTransport

@Suite("The read buffer")
struct StreamReadBufferTests {
    @Test("is lent to one delegate at a time: reading another stream meanwhile traps")
    func lent() async {
        await #expect(processExitsWith: .success) { try ExitTestBody.run(StreamReadBufferTests.readWhileLent) }
    }

    private static func readWhileLent() throws {
        let loop = try EventLoop()
        let (one, other) = (StreamPair.local(loop), StreamPair.local(loop))
        let (recorder, another) = (one.connection.record(), other.connection.record())
        var text: String?
        recorder.whenReceived = { _ in text = Trap.text { other.connection.readNow() } }
        one.peer.send("a")
        other.peer.send("b")
        loop.runUntil { !recorder.bytes.isEmpty && !another.bytes.isEmpty }
        #expect(text?.contains("while a delegate still has") == true)
        // Afterwards it may be read.
        other.peer.send("c")
        other.connection.readNow()
        #expect(another.text == "bc")
        // A started connection lives until it is closed.
        one.connection.abort()
        other.connection.abort()
    }
}
