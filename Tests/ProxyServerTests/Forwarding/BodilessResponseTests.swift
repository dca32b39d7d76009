import Support
import Testing

@Suite("Responses without content")
struct BodilessResponseTests {
    @Test("A HEAD response keeps its Content-Length and has no body")
    func head() throws {
        try withScene(backend: Scripts.always("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\nETag: \"e\"\r\n\r\n")) {
            scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<3 {
                let response = try client.get("\(scene.url)/", method: "HEAD")
                #expect(response.status == 200)
                #expect(response.fields.all("Content-Length") == ["1234"])
            }
            #expect(scene.backend.connectionCount == 1)
        }
    }

    @Test("A HEAD response that announces chunks ends with its head")
    func headChunked() throws {
        try withScene(backend: Scripts.always("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<2 {
                let response = try client.get("\(scene.url)/", method: "HEAD")
                #expect(response.status == 200)
            }
        }
    }

    @Test("204 and 304 end with their heads", arguments: ["204 No Content", "304 Not Modified"])
    func noContent(_ status: String) throws {
        try withScene(backend: Scripts.always("HTTP/1.1 \(status)\r\nETag: \"e\"\r\n\r\n")) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<3 {
                let response = try client.get("\(scene.url)/")
                #expect(response.status == Int(status.prefix(3)))
                #expect(response.fields["Transfer-Encoding"] == nil)
                #expect(response.fields["ETag"] == "\"e\"")
            }
            #expect(scene.backend.connectionCount == 1)
        }
    }

    @Test("A 304 may state how long the content would be")
    func notModifiedWithLength() throws {
        try withScene(backend: Scripts.always("HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n")) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<2 {
                let response = try client.get("\(scene.url)/")
                #expect(response.status == 304)
            }
        }
    }

    @Test("Bytes after a bodiless response never reach the app", arguments: ["HEAD", "GET"])
    func strayBytes(_ method: String) throws {
        let status = method == "HEAD" ? "200 OK" : "204 No Content"
        let bytes = "HTTP/1.1 \(status)\r\nX-A: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
        try withScene(backend: Scripts.always(bytes)) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<3 {
                let response = try client.get("\(scene.url)/", method: method)
                #expect(response.status == Int(status.prefix(3)), "\(response)")
            }
            #expect(scene.backend.connectionCount == 3)
        }
    }

    @Test("Attaché's own refusal of a HEAD request has no body")
    func ownAnswerToHead() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.get("http://denied.example/", method: "HEAD")
            #expect(response.status == 403)
            #expect(response.fields["Proxy-Status"] != nil)
            #expect(try client.get("\(scene.url)/").text == "/")
        }
    }

    @Test("An empty body stays empty with Content-Length and with chunks")
    func emptyBodies() throws {
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.request() {
                let framing =
                    request.target == "/chunks"
                    ? "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" : "Content-Length: 0\r\n\r\n"
                try connection.send("HTTP/1.1 200 OK\r\n\(framing)")
            }
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            for path in ["/chunks", "/length", "/chunks"] {
                let response = try client.get(scene.url + path)
                #expect(response.status == 200)
                #expect(response.body.isEmpty)
            }
            #expect(scene.backend.connectionCount == 1)
        }
    }
}
