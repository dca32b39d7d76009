import Support
import Testing

@Suite("HTTP/1.0 on either side")
struct OldVersionTests {
    @Test("An HTTP/1.0 client without Host gets its response and the close")
    func oldClient() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange("GET \(scene.url)/old HTTP/1.0\r\n\r\n")
            #expect(response.text == "/old")
            #expect(try client.endsNow())
            #expect(scene.backend.requests.first?.fields.all("Host") == [scene.backend.authority])
            #expect(scene.backend.requests.first?.version == "HTTP/1.1")
        }
    }

    @Test("A chunked response reaches an HTTP/1.0 client unchunked, ended by the close")
    func chunkedToOldClient() throws {
        let bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n"
        try withScene(backend: Scripts.always(bytes)) { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange("GET \(scene.url)/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(response.status == 200)
            #expect(response.fields["Transfer-Encoding"] == nil)
            #expect(response.text == "abcdefg")
        }
    }

    @Test("An HTTP/1.0 client that asks for keep-alive may keep its connection, and is told so")
    func oldKeepAlive() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            let request = "GET \(scene.url)/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
            let response = try client.exchange(request)
            #expect(response.text == "/")
            if response.fields.all("Connection").joined().lowercased().contains("keep-alive") {
                #expect(try client.exchange(request).text == "/")
            } else {
                #expect(try client.endsNow())
            }
        }
    }

    @Test("The body of an HTTP/1.0 backend that ends by closing is passed on in chunks")
    func oldBackend() throws {
        try withScene(backend: Scripts.once("HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end")) {
            scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<3 {
                let response = try client.get("\(scene.url)/")
                #expect(response.text == "until the end")
                #expect(response.version == "HTTP/1.1")
                #expect(response.framing == .chunked)
            }
            #expect(scene.backend.connectionCount == 3)
        }
    }

    @Test("A close-delimited body to an HTTP/1.0 client is close-delimited again")
    func oldBoth() throws {
        try withScene(backend: Scripts.once("HTTP/1.0 200 OK\r\n\r\nuntil the end")) { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange("GET \(scene.url)/ HTTP/1.0\r\n\r\n")
            #expect(response.framing == .untilClose)
            #expect(response.text == "until the end")
        }
    }

    @Test("A connection to an HTTP/1.0 backend with a length is not used again, unless the backend says keep-alive")
    func oldBackendConnections() throws {
        try withScene(backend: Scripts.always("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok")) { scene in
            let client = try scene.client()
            defer { client.close() }
            for _ in 0..<2 { #expect(try client.get("\(scene.url)/").text == "ok") }
            #expect(scene.backend.requests.map(\.connection) == [0, 1])
        }
    }

    @Test("Transfer-Encoding in an HTTP/1.0 request is refused")
    func chunkedOldRequest() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange(
                "POST \(scene.url)/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
            try expectOwnAnswer(response, 400)
            #expect(scene.backend.requests.isEmpty)
        }
    }

    @Test("Expect from an HTTP/1.0 client is ignored")
    func oldExpect() throws {
        try withScene(backend: Scripts.echo) { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange(
                "POST \(scene.url)/ HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi")
            #expect(response.status == 200)
            #expect(response.text == "hi")
        }
    }
}
