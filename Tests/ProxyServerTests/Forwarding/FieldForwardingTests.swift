import Support
import Testing

/// The rules for each field are tested with the vectors, byte for byte; these tests show that they reach the wire.
@Suite("Fields are forwarded by the rules of RFC 9110")
struct FieldForwardingTests {
    @Test("A request and its response lose what ends at a proxy, and keep every other byte in its order")
    func wholeHeads() throws {
        let answer =
            "HTTP/1.1 200 All is well\r\nVia: 1.0 backend-side\r\nConnection: x-hop, content-length\r\nX-Hop: 1\r\n"
            + "Set-Cookie: a=1\r\nKeep-Alive: timeout=5, max=100\r\nSet-Cookie: b=2\r\nProxy-Authenticate: Basic realm=x\r\n"
            + "Proxy-Connection: keep-alive\r\nContent-Length: 2\r\n\r\nok"
        try withScene(backend: Scripts.always(answer)) { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange(
                "POST \(scene.url)/a%2Fb/../c//d?q=a?b&c=+ HTTP/1.1\r\nHost: evil.example:99\r\nX-Many: 1\r\n"
                    + "Connection: x-hop, Content-Length, Host\r\nConnection: x-two\r\nX-Hop: 1\r\nVia: 1.0 app-side\r\n"
                    + "Proxy-Authorization: Basic Y2FuYXJ5OnB3\r\nProxy-Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n"
                    + "TE: trailers\r\nX-Many:  two  words \r\nX-Two: 2\r\nX-Empty:\r\nX-High: \u{e9}\r\n"
                    + "Content-Length: 5\r\n\r\nhello")
            let request = try #require(scene.backend.requests.first)
            let token = try #require(scene.tokens.tokens.first)
            // The name in Via differs from process to process.
            #expect(
                request.head.replacing(/attache-[0-9a-f]{8}/, with: "attache")
                    == "POST /a%2Fb/../c//d?q=a?b&c=+ HTTP/1.1\r\nHost: \(scene.backend.authority)\r\nX-Many: 1\r\n"
                    + "Via: 1.0 app-side\r\nX-Many: two  words\r\nX-Empty: \r\nX-High: \u{e9}\r\nContent-Length: 5\r\n"
                    + "Via: 1.1 attache\r\nAuthorization: Bearer \(token)\r\n\r\n")
            #expect(request.text == "hello")
            #expect(
                response.head
                    == "HTTP/1.1 200 All is well\r\nVia: 1.0 backend-side\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n"
                    + "Via: 1.1 attache\r\nContent-Length: 2\r\n\r\n")
            #expect(response.text == "ok")
        }
    }

    @Test("Max-Forwards is counted down on OPTIONS and left alone on GET, and Attaché answers an OPTIONS with zero")
    func maxForwards() throws {
        try withScene { scene in
            let own = try scene.get("/", fields: "Max-Forwards: 0\r\n", method: "OPTIONS")
            #expect(own.status == 200 && own.body.isEmpty && own.fields["Via"] == nil, "\(own)")
            #expect(scene.backend.requests.isEmpty)
            _ = try scene.get("/", fields: "Max-Forwards: 3\r\n", method: "OPTIONS")
            _ = try scene.get("/", fields: "Max-Forwards: 3\r\n")
            #expect(scene.backend.requests.map { $0.fields["Max-Forwards"] } == ["2", "3"])
        }
    }

    @Test("A request that arrives byte by byte, after an empty line, is forwarded whole")
    func byteByByte() throws {
        try withScene(backend: Scripts.echo) { scene in
            let client = try scene.client()
            defer { client.close() }
            let text =
                "\r\nPOST \(scene.url)/p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"
            for byte in text.utf8 { try client.send([byte]) }
            let response = try client.response()
            #expect(response.text == "abcde")
        }
    }
}
