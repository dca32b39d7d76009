import Support
import Testing

@Suite("A backend that answers and leaves the request's body unread")
struct UnreadBodyTests {
    /// More than the shrunken buffers of the kernel hold, and little enough to reach the proxy in one segment.
    private static let body = String(repeating: "a", count: 25_000)

    @Test("Its connection is not used again while the proxy still holds a part of the body")
    func queuedBody() throws {
        let answer = Gate("the backend may answer")
        let end = Gate("the backend may end")
        let script: ScriptedServer.Script = { connection in
            guard connection.number == 0 else { return try Scripts.ok(connection) }
            guard try connection.request() != nil else { return }
            try connection.send(Scripts.response("first"))
            // Byte by byte, so that the body stays in the kernel.
            var head: [UInt8] = []
            while !head.suffix(4).elementsEqual([13, 10, 13, 10]) { head += try connection.socket.receive(atMost: 1) }
            try answer.wait()
            try connection.send(Scripts.response("early"))
            try end.wait()
        }
        try withScene(backend: script) { scene in
            defer {
                answer.open()
                end.open()
            }
            KernelBuffers.shrinkReceiving(onPort: scene.backend.port)
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("\(scene.url)/").text == "first")
            KernelBuffers.shrinkSending(toPort: scene.backend.port)
            try client.send(
                "POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(Self.body.utf8.count)\r\n\r\n\(Self.body)")
            try Patience.poll("the proxy has read the whole body") {
                KernelQueues.bytes(toPort: scene.proxy.port) == 0 ? () : nil
            }
            try #require(KernelQueues.bytes(toPort: scene.backend.port) < Self.body.utf8.count)
            answer.open()
            #expect(try client.response(to: "POST").text == "early")
            #expect(try client.get("\(scene.url)/next").text == "/next")
            #expect(scene.backend.requests.map(\.connection) == [0, 1])
        }
    }
}
