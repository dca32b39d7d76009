import Support
import Testing

@Suite("A CONNECT tunnel")
struct ConnectTests {
    @Test("carries bytes both ways, without a credential and without a look at them")
    func bothWays() throws {
        try withScene(.tunnelling(), backend: Scripts.mirror) { scene in
            let client = try scene.tunnel()
            for text in ["\u{16}\u{03}\u{01} not HTTP", "GET / HTTP/1.1\r\n\r\n", "\0"] {
                try client.send(text)
                #expect(try client.receive(exactly: text.utf8.count) == Array(text.utf8))
            }
            client.close()
            let line = try #require(try scene.accessLog(1).last)
            for part in [
                #""route":"main","method":"CONNECT","target":"\#(scene.backend.authority)","status":200"#,
                #""bytesReceived":31,"#, #""upstream":"\#(scene.backend.authority)","attempts":1"#,
            ] { #expect(line.contains(part), "\(line)") }
            #expect(!line.contains("credential") && !line.contains("code"), "\(line)")
        }
    }

    @Test("is opened to what connect.allow lists, and to nothing else")
    func allowed() throws {
        let other = try ScriptedServer(Scripts.mirror)
        defer { other.stop() }
        let rules = [
            "connect: { allow: [\"127.0.0.1:\(other.port)\", \"*.test:443\"], deny: [\"b.test:443\"] }"
        ]
        try withScene(Layout(match: "{ host: backend.test }", top: rules)) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("CONNECT \(other.authority) HTTP/1.0\r\n\r\nearly")
            #expect(try client.response(to: "CONNECT").status == 200)
            #expect(try client.receive(exactly: 5) == Array("early".utf8))
            for (place, words) in [
                (scene.backend.authority, "connect.allow does not list it"),
                ("b.test:443", "connect.deny lists b.test:443"),
                ("backend.test:80", "cannot carry a credential"),
            ] {
                let refused = try scene.client()
                defer { refused.close() }
                try expectOwnAnswer(
                    refused.exchange("CONNECT \(place) HTTP/1.1\r\nHost: x\r\n\r\n"), 403, mentions: [words])
            }
            #expect(scene.backend.connectionCount == 0)
        }
    }

    @Test("keeps what the app sends before the 200, however much", arguments: ["HTTP/1.1", "HTTP/1.0"])
    func early(_ version: String) throws {
        let early = String(repeating: "early ", count: 50_000)
        try withScene(.tunnelling(), backend: Scripts.mirror) { scene in
            let client = try scene.client()
            defer { client.close() }
            let host = version == "HTTP/1.1" ? "Host: x\r\n" : ""
            let sender = BackgroundThread("early bytes") {
                [socket = client.socket, authority = scene.backend.authority] in
                try? socket.send(Array("CONNECT \(authority) \(version)\r\n\(host)\r\n\(early)".utf8))
            }
            #expect(try client.response(to: "CONNECT").status == 200)
            #expect(try client.receive(exactly: early.utf8.count) == Array(early.utf8))
            try sender.join()
        }
    }

    @Test("follows plain requests on the same connection")
    func afterRequests() throws {
        let script: ScriptedServer.Script = { connection in
            guard let request = try connection.request() else { return }
            try connection.send(Scripts.response(request.target))
            if request.target == "/inside" { return }
            _ = try connection.request()
        }
        try withScene(.tunnelling(), backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            #expect(try client.get("\(scene.url)/plain").text == "/plain")
            try client.send("CONNECT \(scene.backend.authority) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.response(to: "CONNECT").status == 200)
            let inside = try client.exchange("GET /inside HTTP/1.1\r\nHost: own.example\r\n\r\n")
            #expect(inside.text == "/inside")
            #expect(try client.endsNow())
            let heard = try #require(scene.backend.requests.last)
            #expect(heard.fields["Authorization"] == nil && heard.fields["Host"] == "own.example")
            #expect(heard.fields["Via"] == nil)
        }
    }

    @Test("passes the end of each side on, and the other side goes on", arguments: [true, false])
    func halfClose(byApp: Bool) throws {
        let script: ScriptedServer.Script = { connection in
            if byApp {
                let heard = connection.receiveUntilEnd()
                try connection.send("heard \(heard.count)")
            } else {
                try connection.send("first")
                connection.socket.endWriting()
                connection.receiveUntilEnd()
            }
        }
        try withScene(.tunnelling(), backend: script) { scene in
            let client = try scene.tunnel()
            defer { client.close() }
            if byApp {
                try client.send(String(repeating: "x", count: 300_000))
                client.endWriting()
                #expect(try client.receiveUntilEnd() == Array("heard 300000".utf8))
            } else {
                #expect(try client.receiveUntilEnd() == Array("first".utf8))
                try client.send("still here")
                client.endWriting()
            }
            try scene.backend.waitUntilAllClosed()
            let line = try #require(try scene.accessLog(1).last)
            #expect(line.contains(byApp ? #""bytesReceived":300000,"# : #""bytesReceived":10,"#), "\(line)")
            #expect(!line.contains("code"), "\(line)")
            #expect(scene.backend.failures.isEmpty)
        }
    }

    @Test("passes on the end of an app that ended before the tunnel was open")
    func endedBefore() throws {
        let script: ScriptedServer.Script = { connection in
            let heard = connection.receiveUntilEnd()
            try connection.send("heard \(String(decoding: heard, as: UTF8.self))")
        }
        try withScene(.tunnelling(), backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("CONNECT \(scene.backend.authority) HTTP/1.1\r\nHost: x\r\n\r\nall")
            client.endWriting()
            #expect(try client.response(to: "CONNECT").status == 200)
            #expect(try client.receiveUntilEnd() == Array("heard all".utf8))
        }
    }

    @Test("resets the other side when one is reset", arguments: [true, false])
    func reset(byApp: Bool) throws {
        let script: ScriptedServer.Script = { connection in
            _ = try connection.receive(exactly: 1)
            if byApp { connection.receiveUntilEnd() } else { connection.reset() }
        }
        try withScene(.tunnelling(), backend: script) { scene in
            let client = try scene.tunnel("x")
            defer { client.close() }
            if byApp {
                try scene.backend.wait("the connection") { $0.accepted == 1 }
                client.reset()
            } else {
                #expect(throws: SocketError.reset) { try client.receiveUntilEnd() }
            }
            try scene.backend.waitUntilAllClosed()
            let line = try #require(try scene.accessLog(1).last)
            #expect(line.contains("connection-terminated") == !byApp, "\(line)")
        }
    }

    @Test("does not read a side whose bytes the other does not take", arguments: [true, false])
    func backpressure(fromApp: Bool) throws {
        let size = 24 << 20
        let goesOn = Gate("the reader goes on")
        let script: ScriptedServer.Script = { connection in
            if fromApp {
                try goesOn.wait()
                try connection.send("\(connection.receiveUntilEnd().count)")
            } else {
                try connection.send([UInt8](repeating: 7, count: size))
            }
        }
        try withScene(.tunnelling(), backend: script) { scene in
            let client = try scene.tunnel(receiveBuffer: 16_384)
            defer { client.close() }
            if fromApp {
                let sender = BackgroundThread("sender") { [socket = client.socket] in
                    try? socket.send([UInt8](repeating: 7, count: size))
                    socket.endWriting()
                }
                try Patience.poll("the proxy leaves bytes of its app") {
                    KernelQueues.bytes(fromPort: client.port) > 0 ? () : nil
                }
                goesOn.open()
                #expect(try client.receiveUntilEnd() == Array("\(size)".utf8))
                try sender.join()
            } else {
                try scene.waitUntilBlocked()
                #expect(try client.receive(exactly: size).allSatisfy { $0 == 7 })
                client.endWriting()
                #expect(try client.endsNow())
            }
        }
    }
}
