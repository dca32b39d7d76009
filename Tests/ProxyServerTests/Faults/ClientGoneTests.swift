import Support
import Testing

@Suite("A client that goes away")
struct ClientGoneTests {
    private static let endless: ScriptedServer.Script = { connection in
        _ = try connection.request()
        try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n"
        while true { try connection.send(chunk) }
    }

    @Test("In the middle of its request, it closes the upstream connection", arguments: [true, false])
    func midRequest(_ byReset: Bool) throws {
        let script: ScriptedServer.Script = { connection in
            _ = try connection.head()
            _ = try connection.receive(exactly: 5)
            connection.receiveUntilEnd()
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhello")
            try scene.backend.wait("the head came") { !$0.heads.isEmpty }
            if byReset { client.reset() } else { client.close() }
            try scene.backend.waitUntilAllClosed()
            #expect(scene.backend.requests.isEmpty)
        }
    }

    @Test("A request body cut short is never completed for the backend")
    func cutRequest() throws {
        let received = Monitor<[UInt8]?>(nil)
        let script: ScriptedServer.Script = { connection in
            _ = try connection.head()
            let rest = connection.receiveUntilEnd()
            received.access { $0 = rest }
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send(
                "POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            try scene.backend.wait("the head came") { !$0.heads.isEmpty }
            client.endWriting()
            let rest = try received.wait("the backend sees the end") { $0 }
            #expect(!String(decoding: rest, as: UTF8.self).contains("\r\n0\r\n"))
        }
    }

    @Test("In the middle of its response, it closes the upstream connection", arguments: [true, false])
    func midResponse(_ byReset: Bool) throws {
        try withScene(backend: Self.endless) { scene in
            // Again and again, because the end of the client and the next bytes of the backend race.
            for _ in 0..<40 {
                let client = try scene.client()
                try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
                let head = try client.responseHead()
                #expect(head.status == 200)
                if byReset { client.reset() } else { client.close() }
            }
            try scene.backend.waitUntilAllClosed()
        }
    }

    @Test(
        "With an orderly close while its response pauses, it closes the upstream connection when the response continues"
    )
    func beforeTheRest() throws {
        let gate = Gate()
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegin\r\n")
            try gate.wait()
            let chunk = "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n"
            while true { try connection.send(chunk) }
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            let bytes = try client.receive { String(decoding: $0, as: UTF8.self).contains("begin") }
            #expect(!bytes.isEmpty)
            // With nothing unread this is a FIN, as of a client that only ends its sending side.
            client.close()
            gate.open()
            try scene.backend.waitUntilAllClosed()
        }
    }

    @Test("With a reset while the backend is silent, it closes the upstream connection")
    func whileWaiting() throws {
        try withScene(backend: Scripts.silent) { scene in
            let client = try scene.client()
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            try scene.backend.wait("a request") { !$0.requests.isEmpty }
            client.reset()
            try scene.backend.waitUntilAllClosed()
        }
    }

    @Test(
        "With a reset while the proxy does not read from it, it closes the upstream connection",
        arguments: [true, false])
    func whilePaused(readsAnswer: Bool) throws {
        let isStuck = Gate("the proxy takes no more of the response")
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try connection.send("HTTP/1.1 200 OK\r\n\r\n")
            if readsAnswer {
                while !connection.socket.canReceive(within: .milliseconds(1)) { try connection.send("piece") }
            } else {
                let flood = [UInt8](repeating: 0x61, count: 64 << 20)
                #expect(try connection.push(flood, untilStalledFor: .milliseconds(300)) < flood.count)
                isStuck.open()
            }
            connection.receiveUntilEnd()
        }
        try withScene(backend: script) { scene in
            let client = try scene.client(receiveBuffer: 4096)
            let request = "GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n"
            try client.send(request)
            try scene.backend.wait("a request") { !$0.requests.isEmpty }
            try client.send(String(repeating: request, count: 200_000 / request.utf8.count))
            if readsAnswer {
                // Each piece is a turn of the proxy's loop, in which it also reads from the client or has stopped.
                _ = try client.receive { bytes in bytes.count > 500 }
            } else {
                try isStuck.wait()
            }
            client.reset()
            try scene.backend.waitUntilAllClosed()
            #expect(scene.backend.connectionCount == 1)
        }
    }

    @Test("While its token is awaited, it cancels nothing for others")
    func whileAcquiring() throws {
        let gate = Gate()
        try withScene(tokens: [.held(gate, .token(expiresIn: "3600"))]) { scene in
            try scene.tokens.waitForRequests(1)
            let gone = try scene.client()
            try gone.send("GET \(scene.url)/gone HTTP/1.1\r\nHost: x\r\n\r\n")
            let stays = try scene.client()
            defer { stays.close() }
            try stays.send("GET \(scene.url)/stays HTTP/1.1\r\nHost: x\r\n\r\n")
            gone.reset()
            gate.open()
            #expect(try stays.response().text == "/stays")
            #expect(scene.tokens.requests.count == 1)
        }
    }

    @Test(
        "In the middle of a head or before one, it leaves no trace",
        arguments: ["", "GET http://127", "GET / HTTP/1.1\r\nHo"])
    func midHead(_ bytes: String) throws {
        try withScene { scene in
            for _ in 0..<20 {
                let client = try scene.client()
                try client.send(bytes)
                client.reset()
            }
            let response = try scene.get()
            #expect(response.status == 200)
            #expect(scene.backend.requests.count == 1)
        }
    }
}
