import EventTransport
import Support
import Testing

@Suite("Bytes from a backend that no request asked for")
struct UnaskedBytesTests {
    /// Answers rightly but for the first connection, where another answer follows that nobody asked for.
    private static func unasked(_ bytes: String, after gate: Gate) -> ScriptedServer.Script {
        { connection in
            _ = try connection.request()
            try connection.send(Scripts.response("right"))
            if connection.number == 0 {
                try gate.wait()
                try connection.send(bytes)
                connection.receiveUntilEnd()
            } else {
                while try connection.request() != nil { try connection.send(Scripts.response("right")) }
            }
        }
    }

    /// Has a request and then unasked bytes of the backend arrive while the proxy's loop stands still, so that the
    /// connection is taken from the pool with those bytes on it; returns what the request is answered with.
    private func answer(
        to request: String, method: String = "GET", unasked bytes: String, connections: Int
    ) throws -> ReceivedResponse {
        let loop = try EventLoop()
        let gate = Gate("the backend sends what nobody asked for")
        return try withScene(backend: Self.unasked(bytes, after: gate), loop: loop) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("\(scene.url)/").text == "right")
            let (stopped, goOn) = (Gate("the loop stands still"), Gate("the loop goes on"))
            defer { goOn.open() }
            loop.execute {
                stopped.open()
                try? goOn.wait()
            }
            try stopped.wait()
            try client.send(request.replacing("{url}", with: scene.url))
            try Patience.poll("the request is there") {
                KernelQueues.bytes(fromPort: client.port) > 0 ? () : nil
            }
            gate.open()
            try Patience.poll("the unasked bytes are there") {
                KernelQueues.bytes(fromPort: scene.backend.port) > 0 ? () : nil
            }
            goOn.open()
            let response = try client.response(to: method)
            #expect(scene.backend.connectionCount == connections)
            // The connections of both sides still tell messages apart.
            #expect(try scene.get().text == "right")
            return response
        }
    }

    @Test(
        "They are never taken for a response if they wait on the connection that a request takes, and the request is sent again",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong",
            "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Le", "\r\n", "x",
        ])
    func atReuse(_ bytes: String) throws {
        let response = try answer(
            to: "GET {url}/ HTTP/1.1\r\nHost: x\r\n\r\n", unasked: bytes, connections: 2)
        #expect(response.text == "right", "\(response)")
    }

    @Test("A request that must not be sent twice is answered with 502 instead")
    func notRepeatable() throws {
        let response = try answer(
            to: "POST {url}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi", method: "POST",
            unasked: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong", connections: 1)
        try expectOwnAnswer(response, 502, mentions: ["no request had asked for"])
    }

    private static let wrong = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"

    /// One read may end with the answer, and what is behind it be there all the same.
    @Test(
        "They are never taken for a response if they directly follow a response as long as one read",
        arguments: [65_536, 65_536 + 131_072])
    func behindFullRead(size: Int) throws {
        let head = "HTTP/1.1 200 OK\r\nX: \r\nContent-Length: \(size)\r\n\r\n"
        // The same number of digits, so that head and body are as long as a read.
        let answer = head.replacing("\(size)", with: "\(size - head.utf8.count)")
        let filled = answer.replacing(
            "X: ", with: "X: " + String(repeating: "x", count: head.utf8.count - answer.utf8.count))
        let script = Self.first(filled + String(repeating: "a", count: size - head.utf8.count) + Self.wrong)
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send(String(repeating: "GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n", count: 2))
            #expect(try client.response().text.hasPrefix("aaa"))
            #expect(try client.response().text == "right")
        }
    }

    /// Says these bytes on the first connection, and answers rightly on others.
    private static func first(_ bytes: String, _ more: (gate: Gate, bytes: String)? = nil) -> ScriptedServer.Script {
        { connection in
            while try connection.request() != nil {
                guard connection.number == 0 else {
                    try connection.send(Scripts.response("right"))
                    continue
                }
                try connection.send(bytes)
                if let more {
                    try more.gate.wait()
                    try connection.send(more.bytes)
                }
                connection.receiveUntilEnd()
                return
            }
        }
    }

    @Test("They are never taken for a response if they came while a refusal was held back for another token")
    func behindRefusal() throws {
        let (unasked, tokens) = (Gate("the refusal is held back"), Gate("the unasked bytes are there"))
        let layout = Layout(
            route: ["refreshOn: unauthorized"],
            routesBefore: ["{ match: { host: free.test }, upstream: \"http://{backend}\" }"])
        let refusal = Scripts.response("refused", status: "401 Unauthorized")
        try withScene(
            layout, tokens: [.token(expiresIn: "3600"), .held(tokens, .status(503, ""))],
            backend: Self.first(refusal, (unasked, Self.wrong))
        ) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try client.send("GET http://free.test/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try scene.tokens.waitForRequests(2)
            unasked.open()
            try Patience.poll("the unasked bytes are there") {
                KernelQueues.bytes(fromPort: scene.backend.port) > 0 ? () : nil
            }
            tokens.open()
            #expect(try client.response().text == "refused")
            #expect(try client.response().text == "right")
        }
    }
}
