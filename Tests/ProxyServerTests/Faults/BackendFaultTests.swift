import Support
import Testing

@Suite("A failing backend")
struct BackendFaultTests {
    @Test("A backend that refuses the connection causes a 502 that says so")
    func refuses() throws {
        let port = try ClosedPort()
        defer { port.release() }
        try withScene(Layout(match: "{ host: down.test }", upstream: "http://127.0.0.1:\(port.number)")) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<2 {
                let response = try client.get("http://down.test/")
                try expectOwnAnswer(response, 502, mentions: ["127.0.0.1:\(port.number)", "refused"])
                #expect(response.fields["Proxy-Status"]?.contains("connection_refused") == true, "\(response)")
            }
        }
    }

    @Test("A name that does not resolve causes a 502 that names it")
    func unknownName() throws {
        try withScene(
            Layout(
                route: ["allowPlaintext: true"], match: "{ host: down.test }", upstream: "http://nowhere.invalid:8080")
        ) { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.get("http://down.test/")
            try expectOwnAnswer(response, 502, mentions: ["nowhere.invalid"])
        }
    }

    @Test(
        "Garbage instead of a response causes a 502",
        arguments: [
            "garbage\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nBad Name: x\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5x\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\n X: folded\r\n\r\n", "HTTP/1.1 200 OK\r\nX : y\r\n\r\n",
            "SSH-2.0-OpenSSH_9.2\r\n\r\n", "\u{0}\u{1}\u{2}\u{3}\r\n\r\n", "HTTP/0.9 200 OK\r\n\r\n",
        ])
    func rubbish(_ bytes: String) throws {
        try withScene(backend: Scripts.once(bytes)) { scene in
            let response = try scene.get()
            try expectOwnAnswer(
                response, 502, mentions: ["Correct the backend, or the proxy between it and attache."])
            #expect(!response.text.contains("OpenSSH"))
        }
    }

    @Test("A response head without an end causes a 502")
    func endlessHead() throws {
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try connection.send("HTTP/1.1 200 OK\r\n")
            while true { try connection.send("X-Field: " + String(repeating: "x", count: 1000) + "\r\n") }
        }
        try withScene(backend: script) { scene in
            let response = try scene.get()
            try expectOwnAnswer(response, 502, mentions: ["Let the backend send less, or raise the limit."])
        }
    }

    @Test(
        "A close without a response on a new connection causes a 502, and the request is not sent again",
        arguments: [true, false])
    func closedWithoutAnswer(_ byReset: Bool) throws {
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            if byReset { connection.reset() }
        }
        try withScene(backend: script) { scene in
            let response = try scene.get()
            try expectOwnAnswer(
                response, 502,
                mentions: ["; look at the backend's log, and repeat the request only if it may run twice"])
            #expect(scene.backend.requests.count == 1)
        }
    }

    @Test(
        "A body cut short is cut for the app too, and never ends cleanly",
        arguments: [
            "Content-Length: 10\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
            "Transfer-Encoding: chunked\r\n\r\na\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
            "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n",
            "Transfer-Encoding: chunked\r\n\r\n5\r\nhelloXX0\r\n\r\n",
        ])
    func cutBody(_ framed: String) throws {
        try withScene(backend: Scripts.once("HTTP/1.1 200 OK\r\n\(framed)")) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(throws: (any Error).self) { try client.get("\(scene.url)/") }
        }
    }

    @Test(
        "A close-delimited body ended by a reset is cut for the app, whatever its version", arguments: ["1.0", "1.1"])
    func resetUntilClose(_ version: String) throws {
        let seen = Gate("the app saw the beginning")
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try connection.send("HTTP/1.1 200 OK\r\n\r\nbegin")
            try seen.wait()
            connection.reset()
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/\(version)\r\nHost: x\r\n\r\n")
            let bytes = try client.receive { String(decoding: $0, as: UTF8.self).contains("begin") }
            #expect(!bytes.isEmpty)
            seen.open()
            // An HTTP/1.0 app knows the end of this body by the close alone, so the cut must be a reset.
            #expect(throws: (any Error).self) {
                let rest = try client.receiveUntilEnd()
                if version == "1.1", !String(decoding: rest, as: UTF8.self).contains("0\r\n\r\n") {
                    throw MessageReader.CutShort(partial: rest)
                }
            }
        }
    }

    @Test("Bytes that a backend sends on an idle connection end it and reach no app")
    func bytesWhileIdle() throws {
        let gate = Gate()
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try connection.send(Scripts.response("right"))
            guard connection.number == 0 else {
                connection.receiveUntilEnd()
                return
            }
            try gate.wait()
            try connection.send("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")
            connection.receiveUntilEnd()
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("\(scene.url)/").text == "right")
            gate.open()
            try scene.backend.wait("the proxy closes the spoilt connection") { $0.closed == 1 }
            #expect(try client.get("\(scene.url)/").text == "right")
            #expect(scene.backend.connectionCount == 2)
        }
    }

    @Test("A response of 20,000 fields causes a 502, and one that arrives byte by byte is passed on")
    func fieldsAndBytes() throws {
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.request() {
                if request.target == "/fields" {
                    let fields = String(repeating: "X: y\r\n", count: 20_000)
                    return try connection.send(Scripts.response("never", fields: fields))
                }
                for byte in Scripts.response("slowly").utf8 { try connection.send([byte]) }
            }
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try expectOwnAnswer(client.get("\(scene.url)/fields"), 502)
            #expect(try client.get("\(scene.url)/bytes").text == "slowly")
        }
    }

    @Test(
        "A backend that never sends its final head causes a 504 after responseTimeout, whatever else it sends",
        arguments: [
            ("HTTP/1.1 200 OK\r\nX-Slow: ", "a"), ("", "HTTP/1.1 100 Continue\r\n\r\n"),
            ("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
        ])
    func busyWithoutHead(beginning: String, again: String) throws {
        let sent = Monitor(0)
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try connection.send(beginning)
            // The proxy's close can be received, and is the only thing that ends this.
            while !connection.socket.canReceive(within: .milliseconds(5)) {
                try connection.send(again)
                sent.access { $0 += 1 }
            }
            connection.receiveUntilEnd()
        }
        try withScene(Layout(limits: ["responseTimeout: 10m"]), backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            for number in 1...3 {
                try sent.wait("the backend sends more") { $0 >= number ? () : nil }
                try scene.proxy.pass(.seconds(250))
            }
            var response = try client.response()
            let deadline = ContinuousClock.now + Patience.limit
            while response.status < 200, ContinuousClock.now < deadline { response = try client.response() }
            try expectOwnAnswer(response, 504)
            try scene.backend.waitUntilAllClosed()
            #expect(scene.backend.requests.count == 1)
        }
    }

    @Test("After a fault the next request on the same client connection is served")
    func recovers() throws {
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try connection.send(connection.number == 0 ? "rubbish\r\n\r\n" : Scripts.response("fine"))
            connection.receiveUntilEnd()
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("\(scene.url)/").status == 502)
            #expect(try client.get("\(scene.url)/").text == "fine")
        }
    }
}
