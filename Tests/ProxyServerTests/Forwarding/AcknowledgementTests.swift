import Support
import Testing

@Suite("A head that arrives without its body")
struct AcknowledgementTests {
    @Test(
        "is acknowledged at once, because a client with Nagle's algorithm sends no body before",
        arguments: ["Content-Length: 4\r\n", "Transfer-Encoding: chunked\r\n"])
    func head(field: String) throws {
        let end = Gate("the client has looked")
        let script: ScriptedServer.Script = { connection in
            while let head = try connection.head() {
                if head.method == "POST" { try end.wait() }
                _ = try connection.body(of: head)
                try connection.send(Scripts.response("ok"))
            }
        }
        try withScene(backend: script) { scene in
            defer { end.open() }
            let client = try scene.client()
            defer { client.close() }
            // After some exchanges the kernel delays acknowledgements, which it does not on a new connection.
            for _ in 0..<5 { #expect(try client.get("\(scene.url)/").status == 200) }
            try client.send("POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\(field)\r\n")
            try scene.backend.wait("the backend has the head") { $0.heads.count == 6 }
            #expect(client.socket.unacknowledgedByteCount == 0)
            try client.send(field.hasPrefix("C") ? "body" : "4\r\nbody\r\n0\r\n\r\n")
            end.open()
            #expect(try client.response(to: "POST").status == 200)
        }
    }
}
