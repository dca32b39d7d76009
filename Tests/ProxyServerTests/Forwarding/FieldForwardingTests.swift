import Support
import Testing

@Suite("Fields are forwarded by the rules of RFC 9110")
struct FieldForwardingTests {
    @Test(
        "Hop-by-hop fields of a request are not forwarded",
        arguments: [
            "Proxy-Authorization: Basic Y2FuYXJ5OnB3", "Proxy-Connection: keep-alive", "Keep-Alive: timeout=5",
            "TE: trailers", "Connection: x-hop\r\nX-Hop: 1", "Connection: close, X-Hop\r\nx-hop: 1\r\nX-HOP: 2",
            "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nConnection: Upgrade, HTTP2-Settings",
            "Connection: x-one\r\nConnection: x-two\r\nX-One: 1\r\nX-Two: 2", "Proxy-Authenticate: Basic",
        ])
    func requestHopByHop(_ lines: String) throws {
        try withScene { scene in
            let response = try scene.get(fields: "\(lines)\r\nX-Stays: yes\r\n")
            #expect(response.status == 200)
            let request = try #require(scene.backend.requests.first)
            #expect(request.fields.all("X-Stays") == ["yes"])
            let dropped: Set = [
                "proxy-authorization", "proxy-connection", "keep-alive", "te", "x-hop", "upgrade", "http2-settings",
                "x-one", "x-two", "proxy-authenticate",
            ]
            #expect(dropped.isDisjoint(with: request.fields.names), "\(request.head)")
            #expect(!request.head.contains("Y2FuYXJ5OnB3"))
        }
    }

    @Test(
        "Hop-by-hop fields of a response are not forwarded",
        arguments: [
            "Keep-Alive: timeout=5, max=100", "Connection: X-Hop\r\nX-Hop: 1", "Proxy-Authenticate: Basic realm=x",
            "Proxy-Connection: keep-alive", "Connection: x-one, x-two\r\nX-One: 1\r\nx-two: 2",
        ])
    func responseHopByHop(_ lines: String) throws {
        try withScene(backend: Scripts.always(Scripts.response("ok", fields: "X-Stays: yes\r\n\(lines)\r\n"))) {
            scene in
            let response = try scene.get()
            #expect(response.status == 200)
            #expect(response.text == "ok")
            #expect(response.fields.all("X-Stays") == ["yes"])
            let dropped: Set = ["keep-alive", "x-hop", "proxy-authenticate", "proxy-connection", "x-one", "x-two"]
            #expect(dropped.isDisjoint(with: response.fields.names), "\(response.head)")
        }
    }

    @Test("A response's Connection cannot delete the fields that frame it")
    func responseConnectionNamesFraming() throws {
        let bytes = "HTTP/1.1 200 OK\r\nConnection: content-length\r\nContent-Length: 2\r\n\r\nok"
        try withScene(backend: Scripts.always(bytes)) { scene in
            let response = try scene.get()
            #expect(response.fields.all("Content-Length") == ["2"])
            #expect(response.text == "ok")
        }
    }

    @Test("A request's Connection cannot delete the Host or the framing", arguments: ["host", "content-length"])
    func requestConnectionNamesFraming(_ name: String) throws {
        try withScene(backend: Scripts.echo) { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange(
                "POST \(scene.url)/ HTTP/1.1\r\nHost: x\r\nConnection: \(name)\r\nContent-Length: 5\r\n\r\nhello")
            guard response.status == 200 else {
                try expectOwnAnswer(response, 400)
                return
            }
            #expect(response.text == "hello")
            #expect(scene.backend.requests.first?.fields.all("Host") == [scene.backend.authority])
        }
    }

    @Test("The Host that the app sends is replaced by the target's authority")
    func hostReplaced() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange("GET \(scene.url)/ HTTP/1.1\r\nHost: evil.example:99\r\n\r\n")
            #expect(response.status == 200)
            #expect(scene.backend.requests.first?.fields.all("Host") == [scene.backend.authority])
        }
    }

    @Test(
        "An empty path becomes a slash and a bare query keeps its question mark",
        arguments: [("", "/"), ("?a=b", "/?a=b")])
    func emptyPath(_ path: String, _ expected: String) throws {
        try withScene { scene in
            let response = try scene.get(path)
            #expect(response.text == expected)
        }
    }

    @Test(
        "The bytes of path and query are untouched",
        arguments: ["/a%2Fb/../c//d", "/%7Euser?x=%20&y=+", "/?q=a?b&c=d/e", "/;p=1,2!$'()*", "/a%00b"])
    func targetUntouched(_ path: String) throws {
        try withScene { scene in
            let response = try scene.get(path)
            #expect(response.text == path)
        }
    }

    @Test("OPTIONS for the whole server is sent with an asterisk")
    func optionsAsterisk() throws {
        try withScene { scene in
            let response = try scene.get("", method: "OPTIONS")
            #expect(response.status == 200)
            #expect(scene.backend.requests.first?.target == "*")
        }
    }

    @Test("Repeated fields keep their number and order, and values keep their bytes")
    func repeatedFields() throws {
        try withScene(backend: Scripts.always(Scripts.response("ok", fields: "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n")))
        { scene in
            let response = try scene.get(fields: "X-Many: 1\r\nX-Many:  two  words \r\nX-Empty:\r\nX-High: \u{e9}\r\n")
            #expect(response.fields.all("Set-Cookie") == ["a=1", "b=2"])
            let request = try #require(scene.backend.requests.first)
            #expect(request.fields.all("X-Many") == ["1", "two  words"])
            #expect(request.fields.all("X-Empty") == [""])
            #expect(request.fields.all("X-High") == ["\u{e9}"])
        }
    }

    @Test("Via lines of earlier hops stay before Attaché's")
    func viaAppended() throws {
        try withScene(backend: Scripts.always(Scripts.response("ok", fields: "Via: 1.0 backend-side\r\n"))) { scene in
            let response = try scene.get(fields: "Via: 1.0 app-side\r\n")
            let request = try #require(scene.backend.requests.first)
            let up = request.fields.all("Via").joined(separator: ", ")
            #expect(up.hasPrefix("1.0 app-side, 1.1 "))
            let down = response.fields.all("Via").joined(separator: ", ")
            #expect(down.hasPrefix("1.0 backend-side, 1.1 "))
        }
    }

    @Test("Max-Forwards zero on OPTIONS is answered by the proxy itself")
    func maxForwardsZero() throws {
        try withScene { scene in
            let response = try scene.get("/", fields: "Max-Forwards: 0\r\n", method: "OPTIONS")
            #expect(response.status < 500)
            #expect(scene.backend.requests.isEmpty)
        }
    }

    @Test("Max-Forwards is counted down on OPTIONS and left alone on GET")
    func maxForwardsCounted() throws {
        try withScene { scene in
            _ = try scene.get("/", fields: "Max-Forwards: 3\r\n", method: "OPTIONS")
            _ = try scene.get("/", fields: "Max-Forwards: 3\r\n")
            #expect(scene.backend.requests.map { $0.fields["Max-Forwards"] } == ["2", "3"])
        }
    }

    @Test("An empty line before a request is skipped")
    func leadingEmptyLine() throws {
        try withScene { scene in
            let client = try scene.client()
            defer { client.close() }
            let response = try client.exchange("\r\nGET \(scene.url)/ HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(response.status == 200)
        }
    }

    @Test("A request that arrives byte by byte is forwarded whole")
    func byteByByte() throws {
        try withScene(backend: Scripts.echo) { scene in
            let client = try scene.client()
            defer { client.close() }
            let text =
                "POST \(scene.url)/p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"
            for byte in text.utf8 { try client.send([byte]) }
            let response = try client.response()
            #expect(response.text == "abcde")
        }
    }
}
