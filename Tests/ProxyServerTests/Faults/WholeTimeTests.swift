import Support
import Testing

/// What comes or goes too slowly ends in bounded time, and what goes on does not, as both ends see it.
@Suite("Timeouts as a whole")
struct WholeTimeTests {
    @Test(
        "A body that comes byte by byte is answered with 408 although it never pauses",
        arguments: ["length", "chunked"])
    func drippingBody(_ framing: String) throws {
        let script: ScriptedServer.Script = { connection in
            _ = try connection.head()
            connection.receiveUntilEnd()
        }
        try withScene(Layout(limits: ["bodyTimeout: 10m"]), backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            let fields = framing == "length" ? "Content-Length: 100000" : "Transfer-Encoding: chunked"
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n")
            try scene.backend.wait("the head") { !$0.heads.isEmpty }
            for _ in 0..<5 {
                try scene.pass(.seconds(110), after: client)
                #expect(!client.socket.canReceive(within: .zero))
                try client.send(framing == "length" ? "x" : "1\r\nx\r\n")
            }
            try scene.pass(.seconds(110), after: client)
            try expectOwnAnswer(client.response(), 408, mentions: ["bodyTimeout"])
            try scene.backend.waitUntilAllClosed()
            #expect(scene.backend.requests.isEmpty)
        }
    }

    @Test("A body that takes longer than bodyTimeout as a whole, but never stalls, arrives")
    func steadyBody() throws {
        try withScene(Layout(limits: ["bodyTimeout: 10m"]), backend: Scripts.echo) { scene in
            let client = try scene.client()
            defer { client.close() }
            let piece = String(repeating: "x", count: 2048)
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            try scene.backend.wait("the head") { !$0.heads.isEmpty }
            for _ in 0..<5 {
                try client.send("800\r\n\(piece)\r\n")
                try scene.pass(.seconds(400), after: client)
                #expect(!client.socket.canReceive(within: .zero))
            }
            try client.send("0\r\n\r\n")
            #expect(try client.response().body.count == 2048 * 5)
        }
    }

    @Test("A reader that steadily takes a little gets everything, although it takes longer than idleTimeout")
    func slowReader() throws {
        let body = String(repeating: "x", count: 12 << 20)
        let script = ScriptedServer.answering { _ in Scripts.response(body) }
        let limits = ["idleTimeout: 10m", "responseTimeout: 10m", "streamIdleTimeout: 10m"]
        try withScene(Layout(limits: limits), backend: script) { scene in
            let client = try scene.client(receiveBuffer: 65536)
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            let response = try client.responseHead()
            var count = 0
            for _ in 0..<5 {
                // More than the reader's system holds, so that the proxy has got rid of some.
                count += try client.receive(exactly: 1 << 18).count
                try scene.waitUntilBlocked()
                try scene.proxy.pass(.seconds(400))
            }
            count += try client.receive(exactly: body.utf8.count - count).count
            #expect(response.status == 200 && count == body.utf8.count)
        }
    }

    @Test("A reader that takes nothing is cut after idleTimeout, and its backend is released")
    func stoppedReader() throws {
        let body = [UInt8](repeating: 0x61, count: 1 << 20)
        let script: ScriptedServer.Script = { connection in
            _ = try connection.request()
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while true { try connection.send(Array("100000\r\n".utf8) + body + [13, 10]) }
        }
        try withScene(Layout(limits: ["idleTimeout: 10m", "streamIdleTimeout: 24h"]), backend: script) { scene in
            let client = try scene.client(receiveBuffer: 4096)
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.responseHead().status == 200)
            _ = try scene.pass(.seconds(660), whileBlockedUntil: "the connection is cut")
            try scene.backend.waitUntilAllClosed()
            #expect(throws: (any Error).self) { while true { _ = try client.receive(exactly: 1 << 16) } }
        }
    }

    @Test("An app that sends requests ahead and reads the responses later than headTimeout loses none")
    func lateReader() throws {
        try withScene(Layout(limits: ["headTimeout: 100ms", "idleTimeout: 20s"])) { scene in
            let client = try scene.client(receiveBuffer: 4096)
            defer { client.close() }
            let field = "X: \(String(repeating: "x", count: 4000))\r\n"
            let request = "GET http://denied.example/ HTTP/1.1\r\n\(field)Host: x\r\n\r\n"
            let bytes = Array(String(repeating: request, count: 16_000).utf8)
            var sent = 0
            while sent < bytes.count {
                let taken = try client.socket.sendSome(bytes[sent...])
                sent += taken
                if taken == 0, !client.socket.canSend(within: .seconds(1)) { break }
            }
            #expect(sent < bytes.count)
            for _ in 0..<sent / request.utf8.count { #expect(try client.response().status == 403) }
        }
    }
}
