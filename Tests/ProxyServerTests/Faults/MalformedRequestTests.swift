import Support
import Testing

@Suite("Malformed requests")
struct MalformedRequestTests {
    /// `{url}` stands for the backend's URL.
    static let malformed = [
        "GET\r\n\r\n", "GET {url}/\r\n\r\n", "GET  {url}/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET {url}/ HTTP/1.1 \r\nHost: x\r\n\r\n",
        " GET {url}/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET {url}/ http/1.1\r\nHost: x\r\n\r\n",
        "GET {url}/ HTTP/11\r\nHost: x\r\n\r\n",
        "G\u{1}T {url}/ HTTP/1.1\r\nHost: x\r\n\r\n", "G(T {url}/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET {url}/\u{1} HTTP/1.1\r\nHost: x\r\n\r\n", "GET {url}/\u{0} HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET {url}/a\tb HTTP/1.1\r\nHost: x\r\n\r\n", "GET ftp://127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http:// HTTP/1.1\r\nHost: x\r\n\r\n", "GET http:///x HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://user:pw@127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://127.0.0.1:0x50/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://127.0.0.1:99999/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://[::1/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET {url}/#fragment HTTP/1.1\r\nHost: x\r\n\r\n", "GET * HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET {url}/ HTTP/1.1\r\n\r\n", "GET {url}/ HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        "GET {url}/ HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", "GET {url}/ HTTP/1.1\r\nHost: a b\r\n\r\n",
        "GET {url}/ HTTP/1.1\r\nHost: x,y\r\n\r\n",
        "GET {url}/ HTTP/1.1\r\nHost : x\r\n\r\n", "GET {url}/ HTTP/1.1\r\nHost: x\r\nX y: z\r\n\r\n",
        "GET {url}/ HTTP/1.1\r\nHost: x\r\n: z\r\n\r\n", "GET {url}/ HTTP/1.1\r\nHost: x\r\nNo colon\r\n\r\n",
        "GET {url}/ HTTP/1.1\r\nHost: x\r\nX: a\r\n folded\r\n\r\n", "GET {url}/ HTTP/1.1\r\n Host: x\r\n\r\n",
        "GET {url}/ HTTP/1.1\r\nHost: x\r\nX: a\u{0}b\r\n\r\n", "GET {url}/ HTTP/1.1\r\nHost: x\r\nX: a\u{7f}b\r\n\r\n",
        "GET {url}/ HTTP/1.1\r\nHost: x\r\nX: a\u{1}b\r\n\r\n",
        "GET {url}/ HTTP/1.1\nHost: x\n\n", "GET {url}/ HTTP/1.1\r\nHost: x\nX: y\r\n\r\n",
        "POST {url}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "POST {url}/ HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello",
        "POST {url}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5,6\r\n\r\nhello",
        "POST {url}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 0x5\r\n\r\nhello",
        "POST {url}/ HTTP/1.1\r\nHost: x\r\nContent-Length: \r\n\r\n",
        "POST {url}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551616\r\n\r\n",
        "POST {url}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST {url}/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
        "POST {url}/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ]

    private static let rows =
        malformed.map { ($0, 400) }
        + ["GET {url}/ HTTP/2.0\r\nHost: x\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"].map { ($0, 505) }
        + ["gzip", "gzip, chunked", "identity", "xchunked"].map {
            ("POST {url}/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \($0)\r\n\r\n0\r\n\r\n", 501)
        }

    @Test("A malformed request is refused, the connection is closed, and no byte is forwarded", arguments: rows)
    func answered(_ template: String, _ status: Int) throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send(template.replacing("{url}", with: scene.url))
            let response = try client.response()
            try expectOwnAnswer(response, status)
            #expect(response.fields.all("Connection").joined().lowercased().contains("close"))
            #expect(try client.endsNow())
            #expect(scene.backend.heads.isEmpty)
        }
    }

    @Test(
        "An ambiguous chunk ends the exchange, and the bytes after it are no request",
        arguments: [
            "5 \r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n", "5\r\nhelloXX0\r\n\r\n",
            "-5\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n", "fffffffffffffffff\r\nhello\r\n0\r\n\r\n",
            "\r\nhello\r\n0\r\n\r\n",
            ";x\r\nhello\r\n0\r\n\r\n", "5;\u{0}\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n0\r\nBad Name: x\r\n\r\n",
            "5\r\nhello\n0\r\n\r\n",
        ])
    func chunks(_ body: String) throws {
        let script: ScriptedServer.Script = { connection in
            while let request = try connection.request() { try connection.send(Scripts.response(request.text)) }
        }
        try withScene(backend: script) { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send(
                "POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
                    + "GET \(scene.url)/smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
            // Whether the 400 still reaches the app depends on how far the exchange was; the end of the connection does not.
            let bytes = (try? client.receiveUntilEnd()) ?? []
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 400 "), "\(text)")
            #expect(scene.backend.requests.isEmpty)
        }
    }

    @Test("A head without an end from a client that closes gets no response from the backend")
    func unfinished() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send("GET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n")
            client.endWriting()
            let bytes = try client.receiveUntilEnd()
            #expect(bytes.isEmpty || String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
            #expect(scene.backend.heads.isEmpty)
        }
    }

    @Test("TLS bytes on the plain port are refused, and the proxy continues")
    func tlsHello() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            try client.send([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03, 0x0D, 0x0A, 0x0D, 0x0A])
            let text = String(decoding: try client.receiveUntilEnd(), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("Set the proxy's URL to http://"), "\(text)")
            #expect(try scene.get().status == 200)
        }
    }
}
