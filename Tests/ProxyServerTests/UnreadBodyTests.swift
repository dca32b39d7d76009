import Support
import Testing

@Suite("A backend that answers and leaves the request's body unread", .serialized)
struct UnreadBodyTests {
    /// Where a body was when the backend answered.
    private enum Whereabouts {
        /// All of it had left the proxy.
        case kernel
        /// The proxy had read all of it and still held some.
        case proxy
        /// The proxy did not read it to its end.
        case client
    }

    @Test("Its connection is not used again while the proxy still holds some of the body")
    func queuedBody() throws {
        // How much fits into the kernel's buffers differs from run to run, so the size is searched for.
        for _ in 0..<20 {
            var fitting = 0
            var tooLarge = 32 << 20
            while tooLarge - fitting > 1024 {
                let size = (fitting + tooLarge) / 2
                switch try post(size) {
                case .kernel: fitting = size
                case .client: tooLarge = size
                case .proxy: return
                }
            }
        }
        Issue.record("no body was found that the proxy takes and the kernel does not")
    }

    private func post(_ size: Int) throws -> Whereabouts {
        let answer = Gate("the backend may answer")
        let end = Gate("the backend may end")
        let script: ScriptedServer.Script = { connection in
            guard connection.number == 0 else { return try Scripts.ok(connection) }
            var head: [UInt8] = []
            while !head.suffix(4).elementsEqual([13, 10, 13, 10]) { head += try connection.socket.receive(atMost: 1) }
            try answer.wait()
            try connection.send(Scripts.response("early"))
            try end.wait()
        }
        // Looking at the kernel's tables takes its time on a busy machine, and no time-out may end it.
        let limits = ["upstreamTimeout: 10m", "bodyTimeout: 10m"]
        return try withScene(Layout(limits: limits, gracePeriod: "10ms"), backend: script) { scene in
            defer {
                answer.open()
                end.open()
            }
            let client = try scene.client()
            defer { client.close() }
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: \(size)\r\n\r\n")
            guard try isTaken([UInt8](repeating: 0x61, count: size), from: client, by: scene.proxy.port) else {
                return .client
            }
            guard KernelQueues.bytes(toPort: scene.backend.port) < size else { return .kernel }
            answer.open()
            #expect(try client.response(to: "POST").text == "early")
            #expect(try client.get("\(scene.url)/next").text == "/next")
            #expect(scene.backend.requests.map(\.connection) == [1])
            return .proxy
        }
    }

    /// Sends bytes until all were taken by the port's owner, or no more are.
    private func isTaken(_ bytes: [UInt8], from client: RawClient, by port: UInt16) throws -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = try client.socket.sendSome(bytes[sent...])
            sent += count
            if count == 0, !client.socket.canSend(within: .milliseconds(200)) { return false }
        }
        var waiting = KernelQueues.bytes(toPort: port)
        var looks = 0
        while waiting > 0, looks < 20 {
            _ = client.socket.canReceive(within: .milliseconds(5))
            let now = KernelQueues.bytes(toPort: port)
            looks = now < waiting ? 0 : looks + 1
            waiting = now
        }
        return waiting == 0
    }
}
